package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Scheduler;
import org.jspecify.annotations.Nullable;

/** A claim that has a session lock, until it has given it back. Guarded by the mutex of the store. */
final class SessionHolder {

    final Claim claim;
    final LockSession session;

    /** Whether it keeps everybody else out. */
    boolean alone;

    /** Whether it is giving the lock back. */
    boolean leaving;

    /** Who goes on with its session. */
    private @Nullable SessionWait next;

    /** Looks whether the lease is over. */
    private Scheduler.@Nullable Task watch;

    SessionHolder(Claim claim, LockSession session) {
        this.claim = claim;
        this.session = session;
        this.alone = SessionDialect.isWhole(claim);
    }

    boolean hasNext() {
        return next != null;
    }

    void followedBy(SessionWait wait) {
        next = wait;
        wait.before = this;
    }

    /** Nobody follows it from now on; who would have. */
    @Nullable
    SessionWait takeNext() {
        SessionWait taken = next;
        next = null;
        if (taken != null) {
            taken.before = null;
        }
        return taken;
    }

    void watch(Scheduler.Task task) {
        watch = task;
    }

    void unwatch() {
        if (watch != null) {
            watch.cancel();
        }
    }
}
