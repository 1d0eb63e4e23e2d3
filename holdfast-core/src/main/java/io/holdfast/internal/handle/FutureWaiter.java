package io.holdfast.internal.handle;

import io.holdfast.LeaseState;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LeaseHandle;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.internal.runtime.Futures;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits, without a thread.
 *
 * @param <R> what the future yields: a lease, or an optional of one
 */
final class FutureWaiter<R> extends Waiter {

    private final Engine engine;
    private final Outcome<R> outcome;
    private final CompletableFuture<R> future;
    /** The thread that is inside {@link #start}: what is known before it returns needs no executor. */
    private volatile @Nullable Thread starting;

    private volatile Scheduler.@Nullable Task timer;

    /**
     * The future, and how it is completed.
     *
     * @param acquired makes the result of a lease
     * @param held makes the result, or throws, if the lock was still held at the deadline
     */
    record Outcome<R>(
            CompletableFuture<R> future,
            Function<HeldLease, R> acquired,
            Function<Supplier<RuntimeException>, R> held) {

        void held(Supplier<RuntimeException> why) {
            try {
                future.complete(held.apply(why));
            } catch (RuntimeException thrown) {
                future.completeExceptionally(thrown);
            }
        }
    }

    FutureWaiter(
            Engine engine,
            LockRequest request,
            Claim.Mode mode,
            long since,
            long joined,
            long waitNanos,
            Outcome<R> outcome) {
        super(request, mode, since, joined, waitNanos, null, engine.captureCallSite(joined));
        this.engine = engine;
        this.outcome = outcome;
        this.future = outcome.future;
    }

    void start() {
        starting = Thread.currentThread();
        LocalQueue queue = engine.join(this);
        starting = null;
        if (!future.isDone()) {
            if (waitNanos != RequestTimes.NO_END) {
                long lookup = waitNanos - engine.lookUpHolderBefore(waitNanos);
                timer = engine.schedule(() -> lookUpHolder(queue), lookup - (engine.nanos() - since));
            }
            Futures.whenDone(future, (value, failure) -> {
                queue.leave(this, LockEvent.Kind.CANCELLED, failure);
                Scheduler.Task task = timer;
                if (task != null) {
                    task.cancel();
                }
            });
        } else if (joined != since) {
            // The caller has the future already, and may have completed it meanwhile.
            queue.leave(this, LockEvent.Kind.CANCELLED, null);
        }
    }

    private void lookUpHolder(LocalQueue queue) {
        if (!future.isDone()) {
            queue.holder().start();
            timer = engine.schedule(() -> expire(queue), left(engine.nanos()));
        }
    }

    private void expire(LocalQueue queue) {
        Throwable outage = queue.outage();
        long now = engine.nanos();
        if (outage != null || mode == Claim.Mode.TRY) {
            RuntimeException unanswered = engine.exceptions().unanswered(this, now, outage);
            if (queue.leave(this, LockEvent.Kind.FAILED, unanswered)) {
                deliver(() -> future.completeExceptionally(unanswered));
            }
        } else if (queue.leave(this, LockEvent.Kind.TIMED_OUT, null)) {
            deliver(() -> outcome.held(() -> engine.exceptions().timedOut(this, now, queue.holder())));
        }
    }

    @Override
    protected LeaseHandle newLease(LocalQueue queue, HeldGrant held, long token, long now) {
        return new HeldLease(engine, queue, held, this, token, now);
    }

    @Override
    protected void served(LeaseHandle its) {
        HeldLease lease = (HeldLease) its;
        if (Thread.currentThread().equals(starting)) {
            complete(lease);
        } else {
            engine.execute(() -> {
                if (lease.state() == LeaseState.LOST && !future.isDone()) {
                    // The executor was behind for longer than the lease. What is left of the wait is for another try.
                    lease.discard();
                    long now = engine.nanos();
                    new FutureWaiter<>(engine, request, mode, sinceAgain(now), now, waitNanos, outcome).start();
                } else {
                    complete(lease);
                }
            });
        }
    }

    private void complete(HeldLease lease) {
        if (!future.complete(outcome.acquired.apply(lease))) {
            lease.discard();
        }
    }

    @Override
    protected void refused(@Nullable RuntimeException reason) {
        deliver(() -> {
            if (reason != null) {
                future.completeExceptionally(reason);
            } else {
                outcome.held(() -> engine.busy(request.name(), Thread.currentThread()));
            }
        });
    }

    private void deliver(Runnable completion) {
        if (Thread.currentThread().equals(starting)) {
            completion.run();
        } else {
            engine.execute(completion);
        }
    }
}
