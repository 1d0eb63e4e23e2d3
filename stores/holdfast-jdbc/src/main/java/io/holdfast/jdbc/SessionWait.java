package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A claim that asks for a session lock. Guarded by the mutex of the store. */
final class SessionWait {

    final Claim claim;
    final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();

    /** Completes when nothing is left of the wait in the database. */
    final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Where it waits, once it does so in the database. */
    @Nullable
    LockSession session;

    /** Whom it waits for in this process, to go on with that session. */
    @Nullable
    SessionHolder before;

    boolean withdrawn;

    SessionWait(Claim claim) {
        this.claim = claim;
    }
}
