package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Scheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A claim for a session lock, from its first request until it is released, refused or lost. Guarded by the mutex of the store. */
final class SessionClaim {

    final Claim claim;

    /** Fails when the claim has no session any more, unless the store is closed. */
    final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();

    /** The session on which it waits in the database, or holds the lock. */
    @Nullable
    LockSession session;

    boolean granted;
    boolean released;

    /** Whether it excludes all other claims. */
    boolean exclusive;

    /** The claim that waits until this one is released, and continues with its session. */
    @Nullable
    SessionClaim successor;

    /** Checks whether the lease has expired. */
    Scheduler.@Nullable Task expiry;

    SessionClaim(Claim claim) {
        this.claim = claim;
        this.exclusive = Claims.isExclusive(claim);
    }

    /** Returns the successor, which does not wait for this claim any longer. */
    @Nullable
    SessionClaim removeSuccessor() {
        SessionClaim next = successor;
        successor = null;
        return next;
    }

    @Nullable
    Grant held() {
        return granted && session != null ? session.held() : null;
    }

    boolean hasToken(String name, long token) {
        Grant held = claim.name().equals(name) ? held() : null;
        return held != null && held.firstToken() <= token && token < held.firstToken() + held.tokens();
    }
}
