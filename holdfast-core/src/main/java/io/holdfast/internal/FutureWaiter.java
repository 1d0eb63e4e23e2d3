package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits, without a thread.
 *
 * @param <T> a lease, or an optional of one
 */
final class FutureWaiter<T> extends Waiter {

    private final Engine engine;
    private final CompletableFuture<T> future;
    private final Function<HeldLease, T> success;
    private final Supplier<T> busy;
    /** The thread that is inside {@link #start}: what is known before it returns needs no executor. */
    private volatile @Nullable Thread starting;

    private volatile Scheduler.@Nullable Task timer;

    /** {@code busy} is what to answer, or to throw, when the name is taken. */
    FutureWaiter(
            Engine engine,
            Wish wish,
            Claim.Mode mode,
            long since,
            long joined,
            long patience,
            Function<HeldLease, T> success,
            Supplier<T> busy,
            CompletableFuture<T> future) {
        super(wish, mode, since, joined, patience, null, engine.captureSite(joined));
        this.engine = engine;
        this.success = success;
        this.busy = busy;
        this.future = future;
    }

    void start() {
        starting = Thread.currentThread();
        Line line = engine.join(this);
        starting = null;
        if (!future.isDone()) {
            if (patience != Terms.NO_END) {
                long look = patience - engine.lookBefore(patience);
                timer = engine.schedule(() -> look(line), look - (engine.nanos() - since));
            }
            Futures.whenDone(future, (value, failure) -> {
                line.leave(this);
                Scheduler.Task task = timer;
                if (task != null) {
                    task.cancel();
                }
            });
        } else if (joined != since) {
            // The caller has the future already, and may have completed it meanwhile.
            line.leave(this);
        }
    }

    private void look(Line line) {
        if (!future.isDone()) {
            line.sight().look();
            timer = engine.schedule(() -> expire(line), left(engine.nanos()));
        }
    }

    private void expire(Line line) {
        Throwable outage = line.outage();
        if (line.leave(this)) {
            deliver(() -> future.completeExceptionally(engine.failures().outOfTime(line, this, outage)));
        }
    }

    @Override
    void served(HeldLease lease) {
        if (Thread.currentThread().equals(starting)) {
            complete(lease);
        } else {
            engine.execute(() -> {
                if (lease.state() == LeaseState.LOST && !future.isDone()) {
                    // The executor was behind for longer than the lease. What is left of the wait is for another try.
                    lease.drop();
                    long now = engine.nanos();
                    new FutureWaiter<>(engine, wish, mode, sinceAgain(now), now, patience, success, busy, future)
                            .start();
                } else {
                    complete(lease);
                }
            });
        }
    }

    private void complete(HeldLease lease) {
        if (!future.complete(success.apply(lease))) {
            lease.drop();
        }
    }

    @Override
    void refused(@Nullable RuntimeException reason) {
        deliver(() -> {
            try {
                if (reason != null) {
                    throw reason;
                }
                future.complete(busy.get());
            } catch (RuntimeException why) {
                future.completeExceptionally(why);
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
