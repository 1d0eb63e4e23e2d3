package io.holdfast.soak;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Believed for no longer than its time. */
final class NaiveLease implements Lease {

    private final String name;
    private final long token;
    private final long end;
    private final BooleanSupplier giveBack;
    private final AtomicBoolean released = new AtomicBoolean();

    NaiveLease(String name, long token, long end, BooleanSupplier giveBack) {
        this.name = name;
        this.token = token;
        this.end = end;
        this.giveBack = giveBack;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public LeaseState state() {
        if (released.get()) {
            return LeaseState.RELEASED;
        }
        return System.nanoTime() - end < 0 ? LeaseState.HELD : LeaseState.LOST;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    @Override
    public void ensureHeld() {
        if (state() != LeaseState.HELD) {
            throw new LeaseLostException(name, "naive", token(), LeaseLostException.Reason.EXPIRED, "It has expired.");
        }
    }

    @Override
    public void onLost(Runnable callback) {
        throw new IllegalStateException("A naive lock notifies no holder");
    }

    @Override
    public boolean release() {
        return released.compareAndSet(false, true) && giveBack.getAsBoolean();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        release();
    }
}
