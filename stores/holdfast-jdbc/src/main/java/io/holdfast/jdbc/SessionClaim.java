package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Scheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A claim for a session lock, from its first request until it is released or lost. Guarded by the mutex of the store. */
final class SessionClaim {

    final Claim claim;
    final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();

    /** Completes when a claim that was not granted has nothing left in the database. */
    final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** The session on which it waits in the database, or has the lock. */
    @Nullable
    LockSession session;

    /** Whether it waits for another claim of this process, in order to continue with its session. */
    boolean following;

    boolean granted;
    boolean released;

    /** Whether it excludes all other claims. */
    boolean exclusive;

    private @Nullable SessionClaim successor;

    /** Checks whether the lease is over. */
    Scheduler.@Nullable Task expiry;

    SessionClaim(Claim claim) {
        this.claim = claim;
        this.exclusive = SessionDialect.isWhole(claim);
    }

    LockSession.@Nullable Held held() {
        return session == null ? null : session.held();
    }

    /** Whether it holds that name with that token. */
    boolean hasToken(String name, long token) {
        LockSession.Held held = granted && claim.name().equals(name) ? held() : null;
        return held != null
                && held.tokens().first() <= token
                && token <= held.tokens().last();
    }

    boolean hasSuccessor() {
        return successor != null && !successor.released;
    }

    void followedBy(SessionClaim next) {
        successor = next;
        next.following = true;
    }

    /** The claim that continues, and from now on follows this one no more. */
    @Nullable
    SessionClaim takeSuccessor() {
        SessionClaim next = hasSuccessor() ? successor : null;
        successor = null;
        if (next != null) {
            next.following = false;
        }
        return next;
    }
}
