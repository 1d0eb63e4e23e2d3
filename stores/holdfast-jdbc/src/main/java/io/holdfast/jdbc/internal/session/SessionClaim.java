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

    /** A failure comes when the claim has no session any more, unless the store is closed. */
    final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();

    /** The session on which it waits in the database, or has the lock. */
    @Nullable
    LockSession session;

    boolean granted;
    boolean released;

    /** Whether it excludes all other claims. */
    boolean exclusive;

    /** The claim that waits for this one, in order to continue with its session. */
    @Nullable
    SessionClaim successor;

    /** Checks whether the lease is over. */
    Scheduler.@Nullable Task expiry;

    SessionClaim(Claim claim) {
        this.claim = claim;
        this.exclusive = Claims.isExclusive(claim);
    }

    /** The successor, which follows this claim no more. */
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
