package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A lease as seen from inside a re-entrant call, or of a set: the same, but releasing it is left to the outermost caller. */
record NestedLease(HeldLease outer) implements Lease {

    @Override
    public String name() {
        return outer.name();
    }

    @Override
    public long token() {
        return outer.token();
    }

    @Override
    public LeaseState state() {
        return outer.state();
    }

    @Override
    public Duration remaining() {
        return outer.remaining();
    }

    @Override
    public void ensureHeld() {
        outer.ensureHeld();
    }

    @Override
    public void onLost(Runnable callback) {
        outer.onLost(callback);
    }

    /** Does not release; whether the lease is still held. */
    @Override
    public boolean release() {
        return outer.isHeld();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        if (state() == LeaseState.LOST) {
            throw outer.lost();
        }
    }
}
