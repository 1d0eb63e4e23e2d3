package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LeaseHandle;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.internal.runtime.Engine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** The lease object of the user. Callbacks are kept here and not in the {@link LeaseRecord}, which must not keep this reachable. */
final class HeldLease implements Lease, LeaseHandle, OwnedLease<Lease> {

    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    private static final AtomicReferenceFieldUpdater<HeldLease, @Nullable OnLost> ON_LOST =
            AtomicReferenceFieldUpdater.newUpdater(HeldLease.class, OnLost.class, "onLost");

    private final Engine engine;
    private volatile @Nullable OnLost onLost;
    private final LeaseRecord record;

    /** A callback, and the one that was registered before it. */
    private record OnLost(Runnable callback, @Nullable OnLost earlier) {}

    HeldLease(Engine engine, LocalQueue queue, HeldGrant held, Waiter waiter, long token, long now) {
        this.engine = engine;
        this.record = new LeaseRecord(this, queue, held, waiter, token, now);
    }

    @Override
    public LeaseRecord record() {
        return record;
    }

    Engine engine() {
        return engine;
    }

    @Override
    public Lease view() {
        return this;
    }

    @Override
    public String name() {
        return record.name();
    }

    @Override
    public long token() {
        return record.token();
    }

    @Override
    public LeaseState state() {
        LeaseState recorded = record.recorded();
        if (recorded != LeaseState.HELD) {
            return recorded;
        }
        if (record.left(engine.now()) <= 0) {
            record.queue().loseIfExpired(record);
            return record.recorded();
        }
        return record.isAtRisk() ? LeaseState.AT_RISK : LeaseState.HELD;
    }

    @Override
    public Duration remaining() {
        if (record.recorded() != LeaseState.HELD) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, record.left(engine.now())));
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
                    token(),
                    LeaseLostException.Reason.RELEASED,
                    "The lease (token " + token() + ") was released: do the work before closing it.");
        }
    }

    LeaseLostException lost() {
        return record.lossException(engine.storeName());
    }

    @Override
    public @Nullable LeaseLostException loss() {
        return state() == LeaseState.LOST ? lost() : null;
    }

    @Override
    public void onLost(Runnable callback) {
        OnLost earlier = onLost;
        while (!ON_LOST.compareAndSet(this, earlier, new OnLost(callback, earlier))) {
            earlier = onLost;
        }
        if (state() == LeaseState.LOST) {
            notifyLost();
        }
    }

    /** Runs every callback that has not run yet. */
    @Override
    public void notifyLost() {
        Deque<Runnable> inOrder = new ArrayDeque<>();
        for (OnLost each = ON_LOST.getAndSet(this, null); each != null; each = each.earlier) {
            inOrder.push(each.callback);
        }
        inOrder.forEach(engine::execute);
    }

    @Override
    public boolean release() {
        return releaseInBackground().join();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        CompletableFuture<Boolean> answer = releaseInBackground();
        return answer.isDone() ? answer.copy() : answer.thenApplyAsync(held -> held, engine::execute);
    }

    @Override
    public void close() {
        if (record.close() && !closed().join() && record.recorded() == LeaseState.LOST) {
            throw lost();
        }
    }

    @Override
    public CompletableFuture<Boolean> releaseInBackground() {
        return record.close() ? closed() : NO;
    }

    @Override
    public void interruptOnLoss(Runnable interruption) {
        record.interruptOnLoss(interruption);
    }

    @Override
    public void discard() {
        record.markUnseen();
        var unused = releaseInBackground();
    }

    private CompletableFuture<Boolean> closed() {
        CompletableFuture<Boolean> answer = record.queue().release(record);
        return answer == null ? NO : answer;
    }

    @Override
    public String toString() {
        return "Lease[" + name() + ", token " + token() + ", " + state() + "]";
    }
}
