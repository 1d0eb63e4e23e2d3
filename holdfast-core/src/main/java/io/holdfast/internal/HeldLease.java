package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The lease in the user's hands. Callbacks live here and not in the {@link Hold}, which must not keep this reachable. */
final class HeldLease implements Lease {

    private final Engine engine;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable List<Runnable> onLost;
    private @Nullable Hold hold;

    HeldLease(Engine engine) {
        this.engine = engine;
    }

    void bind(Hold its) {
        hold = its;
    }

    @SuppressWarnings("NullAway") // bound in the same step in which it is made
    Hold hold() {
        return hold;
    }

    @Override
    public String name() {
        return hold().line.name();
    }

    @Override
    public long token() {
        return hold().token;
    }

    @Override
    public LeaseState state() {
        Hold its = hold();
        LeaseState recorded = its.recorded();
        if (recorded != LeaseState.HELD) {
            return recorded;
        }
        Moment now = engine.now();
        if (its.left(now) <= 0) {
            // Whoever looks first says it; the Keeper may be late, or this process may have been paused.
            its.line.lose(its, "its deadline passed");
            return its.recorded();
        }
        return its.tenure.failing() ? LeaseState.AT_RISK : LeaseState.HELD;
    }

    @Override
    public Duration remaining() {
        Hold its = hold();
        if (its.recorded() != LeaseState.HELD) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, its.left(engine.now())));
    }

    @Override
    public void ensureHeld() {
        LeaseState now = state();
        if (now == LeaseState.LOST) {
            throw lost();
        }
        if (now == LeaseState.RELEASED) {
            throw new LeaseLostException(
                    name(),
                    engine.storeName(),
                    "The lease (token " + token() + ") was released: do the work before closing it.",
                    null);
        }
    }

    LeaseLostException lost() {
        return new LeaseLostException(
                name(),
                engine.storeName(),
                "The lease (token " + token() + ") was lost after " + Duration.ofNanos(engine.nanos() - hold().since)
                        + ": " + hold().reason() + ". Do not trust what was done under it; check, or fence by token.",
                null);
    }

    @Override
    public void onLost(Runnable callback) {
        mutex.lock();
        try {
            if (onLost == null) {
                onLost = new ArrayList<>(1);
            }
            onLost.add(callback);
        } finally {
            mutex.unlock();
        }
        if (state() == LeaseState.LOST) {
            fireLost();
        }
    }

    /** Runs every callback that has not run yet. */
    void fireLost() {
        List<Runnable> callbacks;
        mutex.lock();
        try {
            callbacks = onLost == null ? List.of() : onLost;
            onLost = null;
        } finally {
            mutex.unlock();
        }
        callbacks.forEach(engine::execute);
    }

    @Override
    public boolean release() {
        return give().join();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        CompletableFuture<Boolean> answer = give();
        return answer.isDone() ? answer : answer.thenApplyAsync(ours -> ours, engine::execute);
    }

    @Override
    public void close() {
        if (!ended.get() && !release() && hold().recorded() == LeaseState.LOST) {
            throw lost();
        }
    }

    private CompletableFuture<Boolean> give() {
        if (!ended.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(false);
        }
        Hold its = hold();
        CompletableFuture<Optional<Boolean>> answer = its.line.release(its);
        if (answer == null) {
            if (its.recorded() == LeaseState.LOST) {
                // The body has ended now, so the store need not wait for the lease to run out.
                engine.releaser().letGo(its.tenure.claim, its.tenure.lease);
            }
            return CompletableFuture.completedFuture(false);
        }
        return answer.thenApply(this::concluded);
    }

    /** An unknown outcome is no loss: at the time of the call the lease had not run out. */
    private boolean concluded(Optional<Boolean> stillOurs) {
        boolean ours = stillOurs.orElse(true);
        if (!ours) {
            hold().end(LeaseState.LOST, "the store did not have it any more when it was released");
            engine.lost(hold());
        }
        return ours;
    }

    @Override
    public String toString() {
        return "Lease[" + name() + ", token " + token() + ", " + state() + "]";
    }
}
