package io.holdfast.internal;

import io.holdfast.LeaseSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks one after the other without a thread. At any time one step is under way, so only {@code waitingFor}
 * and the result are shared, with whoever cancels the result.
 *
 * @param <T> a set of leases, or an optional of one
 */
final class SetWait<T> {

    private final Engine engine;
    private final List<NamedLock> locks;
    private final long patience;
    private final long since;
    private final Function<LeaseSet, T> success;
    private final IntFunction<T> busy;
    private final List<HeldLease> taken = new ArrayList<>();
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final AtomicReference<@Nullable CompletableFuture<?>> waitingFor = new AtomicReference<>();

    /** {@code busy} is what to answer, or to throw, when the lock with that index is taken. */
    SetWait(Engine engine, List<NamedLock> locks, long patience, Function<LeaseSet, T> success, IntFunction<T> busy) {
        this.engine = engine;
        this.locks = locks;
        this.patience = patience;
        this.since = engine.nanos();
        this.success = success;
        this.busy = busy;
    }

    CompletableFuture<T> start() {
        Futures.whenDone(result, (value, failure) -> {
            CompletableFuture<?> waiting = waitingFor.get();
            if (waiting != null) {
                waiting.cancel(false);
            }
        });
        go();
        return result;
    }

    /** Takes what can be taken at once; the rest follows when the next answer comes. */
    private void go() {
        while (taken.size() < locks.size()) {
            CompletableFuture<Optional<HeldLease>> next =
                    locks.get(taken.size()).takeAsync(NamedLockSet.left(engine, patience, since));
            waitingFor.set(next);
            if (result.isDone()) {
                next.cancel(false);
            }
            if (!next.isDone()) {
                Futures.whenDone(next, (lease, failure) -> {
                    if (answered(lease == null ? Optional.empty() : lease, failure)) {
                        go();
                    }
                });
                return;
            }
            Throwable failure = Futures.failureOf(next);
            if (!answered(failure == null ? next.join() : Optional.empty(), failure)) {
                return;
            }
        }
        finish();
    }

    /** Is there a next one to take? */
    private boolean answered(Optional<HeldLease> lease, @Nullable Throwable failure) {
        if (lease.isPresent()) {
            taken.add(lease.get());
            return true;
        }
        int missing = taken.size();
        HeldLeases.giveBackLater(taken);
        if (failure != null) {
            result.completeExceptionally(Futures.unwrapped(failure));
        } else {
            complete(() -> busy.apply(missing));
        }
        return false;
    }

    private void finish() {
        boolean handedOver = complete(() -> success.apply(NamedLockSet.complete(engine, taken)));
        if (!handedOver || result.isCompletedExceptionally()) {
            HeldLeases.giveBackLater(taken);
        }
    }

    private boolean complete(Supplier<T> value) {
        try {
            return result.complete(value.get());
        } catch (RuntimeException why) {
            return result.completeExceptionally(why);
        }
    }
}
