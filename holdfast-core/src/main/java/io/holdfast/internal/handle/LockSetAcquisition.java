package io.holdfast.internal.handle;

import io.holdfast.internal.runtime.Engine;
import io.holdfast.internal.runtime.Futures;
import io.holdfast.spi.support.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks one after the other without a thread. At any time one step is under way, so only {@code waitingFor}
 * and the result are shared, with the code that cancels the result.
 *
 * @param <R> a set of leases, or an optional of one
 */
final class LockSetAcquisition<R> {

    private final Engine engine;
    private final List<NamedLock> locks;
    private final long waitNanos;
    private final long since;
    private final Function<HeldLeases, R> acquired;
    private final Function<Supplier<RuntimeException>, R> held;
    private final List<HeldLease> leases = new ArrayList<>();
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final AtomicReference<@Nullable CompletableFuture<?>> waitingFor = new AtomicReference<>();

    /** The answer for one lock: a lease, or why there is none. */
    private record Step(Optional<HeldLease> lease, Supplier<RuntimeException> why) {}

    /** {@code held} makes the result, or throws, if one of the locks was still held at the deadline. */
    LockSetAcquisition(
            Engine engine,
            List<NamedLock> locks,
            long waitNanos,
            Function<HeldLeases, R> acquired,
            Function<Supplier<RuntimeException>, R> held) {
        this.engine = engine;
        this.locks = locks;
        this.waitNanos = waitNanos;
        this.since = engine.nanos();
        this.acquired = acquired;
        this.held = held;
    }

    CompletableFuture<R> start() {
        Futures.whenDone(result, (value, failure) -> {
            CompletableFuture<?> waiting = waitingFor.get();
            if (waiting != null) {
                waiting.cancel(false);
            }
        });
        proceed();
        return result;
    }

    /** Acquires what can be acquired at once; the rest follows when the next answer comes. */
    private void proceed() {
        while (leases.size() < locks.size()) {
            CompletableFuture<Step> next = locks.get(leases.size())
                    .takeAsync(
                            NamedLockSet.left(engine, waitNanos, since),
                            lease -> new Step(Optional.of(lease), IllegalStateException::new),
                            why -> new Step(Optional.empty(), why));
            waitingFor.set(next);
            if (result.isDone()) {
                next.cancel(false);
            }
            if (!next.isDone()) {
                Futures.whenDone(next, (step, failure) -> {
                    if (answered(step, failure)) {
                        proceed();
                    }
                });
                return;
            }
            Throwable failure = Futures.failureOf(next);
            if (!answered(failure == null ? next.join() : null, failure)) {
                return;
            }
        }
        finish();
    }

    /** Is there a next one to acquire? */
    private boolean answered(@Nullable Step step, @Nullable Throwable failure) {
        if (step != null && step.lease.isPresent()) {
            leases.add(step.lease.get());
            return true;
        }
        var unused = HeldLeases.discard(leases);
        if (step != null) {
            complete(() -> held.apply(step.why));
        } else {
            result.completeExceptionally(Failures.unwrap(failure == null ? new IllegalStateException() : failure));
        }
        return false;
    }

    private void finish() {
        boolean completed = complete(() -> acquired.apply(HeldLeases.complete(engine, leases)));
        if (!completed || result.isCompletedExceptionally()) {
            var unused = HeldLeases.discard(leases);
        }
    }

    private boolean complete(Supplier<R> value) {
        try {
            return result.complete(value.get());
        } catch (RuntimeException why) {
            return result.completeExceptionally(why);
        }
    }
}
