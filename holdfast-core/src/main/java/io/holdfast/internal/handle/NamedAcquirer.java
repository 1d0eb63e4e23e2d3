package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.support.LockInfos;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquires leases of one name; what locks and semaphores have in common. */
abstract class NamedAcquirer extends Acquirer<Lease, HeldLease> {

    final Engine engine;
    final LockRequest request;

    NamedAcquirer(Engine engine, ThreadLeases threadLeases, LockRequest request) {
        super(request.times(), threadLeases, engine::execute);
        this.engine = engine;
        this.request = request;
    }

    /** Why the current thread would wait for a lease that only it can release; null if it would not. */
    @Nullable
    RuntimeException selfDeadlock() {
        return null;
    }

    /** Why this lock cannot be acquired, even later, while the current thread holds the read side; null if it can. */
    @Nullable
    RuntimeException upgrade() {
        return null;
    }

    public final String name() {
        return request.name();
    }

    public final LockInfo inspect() {
        return info(engine.await(name(), engine.inspect(NameFilter.exactly(name()))));
    }

    public final CompletableFuture<LockInfo> inspectAsync() {
        return engine.inspect(NameFilter.exactly(name()))
                .handleAsync(
                        (infos, failure) -> {
                            if (failure != null) {
                                throw engine.exceptions().unavailable(name(), failure);
                            }
                            return info(infos);
                        },
                        engine::execute);
    }

    private LockInfo info(List<LockInfo> found) {
        return found.isEmpty()
                ? LockInfos.of(name(), request.units().capacity(), List.of(), 0, List.of())
                : found.get(0);
    }

    public final boolean forceRelease(long token) {
        return engine.forceRelease(name(), token);
    }

    @Override
    final HeldLease taken(long waitNanos) {
        HeldLease lease = take(waitNanos, ThreadWaiter.Interrupts.HONOURED);
        if (lease == null) {
            throw engine.busy(name(), Thread.currentThread());
        }
        return lease;
    }

    @Override
    final @Nullable HeldLease take(long waitNanos, ThreadWaiter.Interrupts interrupts) {
        if (interrupts == ThreadWaiter.Interrupts.HONOURED
                && Thread.currentThread().isInterrupted()) {
            throw engine.exceptions().interrupted(name(), "The thread was interrupted before it began to wait.");
        }
        RuntimeException selfDeadlock = selfDeadlock();
        if (selfDeadlock != null) {
            if (waitNanos == 0) {
                return null;
            }
            throw selfDeadlock;
        }
        long since = engine.nanos();
        long joined = since;
        while (true) {
            ThreadWaiter waiter = new ThreadWaiter(engine, request, mode(waitNanos), since, joined, bound(waitNanos));
            LocalQueue queue = engine.join(waiter);
            HeldLease lease = waiter.await(queue, interrupts);
            if (lease == null || !waiter.isTooLateFor(lease)) {
                return lease;
            }
            lease.discard();
            joined = engine.nanos();
            since = waiter.sinceAgain(joined);
        }
    }

    @Override
    final <R> CompletableFuture<R> takeAsync(
            long waitNanos, Function<HeldLease, R> acquired, Function<Supplier<RuntimeException>, R> held) {
        // Not selfDeadlock(): no thread waits, so the present lease can be released first.
        RuntimeException upgrade = upgrade();
        if (upgrade != null && waitNanos > 0) {
            return CompletableFuture.failedFuture(upgrade);
        }
        CompletableFuture<R> future = new CompletableFuture<>();
        FutureWaiter.Outcome<R> outcome = new FutureWaiter.Outcome<>(future, acquired, held);
        if (upgrade != null) {
            outcome.held(() -> upgrade);
            return future;
        }
        long since = engine.nanos();
        new FutureWaiter<>(engine, request, mode(waitNanos), since, since, bound(waitNanos), outcome).start();
        return future;
    }

    private static Claim.Mode mode(long waitNanos) {
        return waitNanos == 0 ? Claim.Mode.TRY : Claim.Mode.WAIT;
    }

    /** A single attempt has no maximum wait; a store that never answers must not block the caller for ever. */
    private long bound(long waitNanos) {
        RequestTimes times = times();
        return waitNanos == 0 ? Math.max(times.maxWait(), times.lease()) : waitNanos;
    }
}
