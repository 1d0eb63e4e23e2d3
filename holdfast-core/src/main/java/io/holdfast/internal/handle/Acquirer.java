package io.holdfast.internal.handle;

import io.holdfast.Acquirable;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.LockedCall;
import io.holdfast.LockedRun;
import io.holdfast.internal.queue.RequestTimes;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The methods of {@link Acquirable}, on top of one blocking and one asynchronous way to get a lease.
 *
 * @param <L> what the user sees
 * @param <H> the lease behind it
 */
abstract class Acquirer<L, H extends OwnedLease<L>> implements Acquirable<L> {

    final ThreadLeases threadLeases;
    private final RequestTimes times;
    private final Executor callbacks;

    /** {@code callbacks} runs user code. */
    Acquirer(RequestTimes times, ThreadLeases threadLeases, Executor callbacks) {
        this.times = times;
        this.callbacks = callbacks;
        this.threadLeases = threadLeases;
    }

    /** A lease, or null if there was no time to wait and the lock is held. */
    abstract @Nullable H take(long waitNanos, ThreadWaiter.Interrupts interrupts);

    /** As {@link #take}, but throws if the lock is held. */
    abstract H taken(long waitNanos);

    /** As {@link #take}, without a waiting thread. {@code held} is the result, or throws, if the lock was still held at the deadline. */
    abstract <R> CompletableFuture<R> takeAsync(
            long waitNanos, Function<H, R> acquired, Function<Supplier<RuntimeException>, R> held);

    /** Enters again what the current thread holds already; null if it does not, or has released it. Throws if it was lost. */
    abstract @Nullable Reentry<L> enterAgain();

    /** The current thread is about to run a body. */
    abstract void enter(H lease);

    /** The body has ended: releases the lease, unless the body has left a {@code lock()} behind. Throws if it was lost. */
    abstract void leave(H lease);

    final RequestTimes times() {
        return times;
    }

    @Override
    public final LockOptions options() {
        return times.options();
    }

    @Override
    public final L acquire() {
        return taken(times.maxWait()).view();
    }

    @Override
    public final L acquire(Duration maxWait) {
        return taken(checked(maxWait)).view();
    }

    @Override
    public final Optional<L> tryAcquire() {
        return optional(tryTake(0));
    }

    @Override
    public final Optional<L> tryAcquire(Duration maxWait) {
        return optional(tryTake(checked(maxWait)));
    }

    @Override
    public final CompletableFuture<L> acquireAsync() {
        return takenAsync(times.maxWait());
    }

    @Override
    public final CompletableFuture<L> acquireAsync(Duration maxWait) {
        return takenAsync(checked(maxWait));
    }

    @Override
    public final CompletableFuture<Optional<L>> tryAcquireAsync() {
        return takeAsync(0, this::optional, why -> Optional.empty());
    }

    @Override
    public final CompletableFuture<Optional<L>> tryAcquireAsync(Duration maxWait) {
        return takeAsync(checked(maxWait), this::optional, why -> Optional.empty());
    }

    @Override
    public final <T extends @Nullable Object, E extends Exception> T call(LockedCall<L, T, E> body) throws E {
        Reentry<L> again = enterAgain();
        return again != null ? inside(again, body) : under(taken(times.maxWait()), body);
    }

    @Override
    public final <E extends Exception> void run(LockedRun<L, E> body) throws E {
        call(asCall(body));
    }

    @Override
    public final <E extends Exception> boolean tryRun(LockedRun<L, E> body) throws E {
        return tryRun(0, asCall(body)) != null;
    }

    @Override
    public final <E extends Exception> boolean tryRun(Duration maxWait, LockedRun<L, E> body) throws E {
        return tryRun(checked(maxWait), asCall(body)) != null;
    }

    @Override
    public final <T, E extends Exception> Optional<T> tryCall(LockedCall<L, T, E> body) throws E {
        return result(tryRun(0, body));
    }

    @Override
    public final <T, E extends Exception> Optional<T> tryCall(Duration maxWait, LockedCall<L, T, E> body) throws E {
        return result(tryRun(checked(maxWait), body));
    }

    @Override
    public final <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super L, ? extends CompletionStage<T>> body) {
        return new AsyncCall<L, H, T>(callbacks, body).start(takeAsync(times.maxWait(), lease -> lease, why -> {
            throw why.get();
        }));
    }

    private CompletableFuture<L> takenAsync(long waitNanos) {
        return takeAsync(waitNanos, OwnedLease::view, why -> {
            throw why.get();
        });
    }

    private @Nullable H tryTake(long waitNanos) {
        try {
            return take(waitNanos, ThreadWaiter.Interrupts.HONOURED);
        } catch (LockTimeoutException stillHeld) {
            return null;
        }
    }

    private Optional<L> optional(@Nullable H lease) {
        return lease == null ? Optional.empty() : Optional.of(lease.view());
    }

    /** What a body returned. */
    private record Returned<T extends @Nullable Object>(T value) {}

    /** Null if the body did not run. */
    private <T extends @Nullable Object, E extends Exception> @Nullable Returned<T> tryRun(
            long waitNanos, LockedCall<L, T, E> body) throws E {
        Reentry<L> again;
        try {
            again = enterAgain();
        } catch (LeaseLostException lost) {
            return null;
        }
        if (again != null) {
            return new Returned<>(inside(again, body));
        }
        H lease = tryTake(waitNanos);
        return lease == null ? null : new Returned<>(under(lease, body));
    }

    private static <T> Optional<T> result(@Nullable Returned<T> returned) {
        return returned == null
                ? Optional.empty()
                : Optional.of(Objects.requireNonNull(
                        returned.value, "The body of tryCall() must not return null: use tryRun()."));
    }

    private static <L, T extends @Nullable Object, E extends Exception> T inside(
            Reentry<L> again, LockedCall<L, T, E> body) throws E {
        try {
            return body.call(again.view());
        } finally {
            again.leave();
        }
    }

    @SuppressWarnings("NullAway") // the checker does not see the Nullable in the type argument
    private static <L, E extends Exception> LockedCall<L, @Nullable Void, E> asCall(LockedRun<L, E> body) {
        return lease -> {
            body.run(lease);
            return null;
        };
    }

    private long checked(Duration maxWait) {
        return RequestTimes.nanos(options().toBuilder().maxWait(maxWait).build().maxWait());
    }

    /** Runs the body and releases the lease, whatever its outcome. */
    private <T extends @Nullable Object, E extends Exception> T under(H lease, LockedCall<L, T, E> body) throws E {
        InterruptibleBody run = begin(lease);
        T result;
        try {
            result = body.call(lease.view());
        } catch (Throwable thrown) {
            boolean interruptedByUs = run != null && end(run, thrown);
            LeaseLostException lost = lossAfter(lease);
            if (lost != null && interruptedByUs) {
                lost.addSuppressed(thrown);
                throw lost;
            }
            if (lost != null) {
                thrown.addSuppressed(lost);
            }
            throw thrown;
        }
        if (run != null) {
            end(run, null);
        }
        leave(lease);
        return result;
    }

    private @Nullable InterruptibleBody begin(H lease) {
        enter(lease);
        if (options().onLoss() == LockOptions.OnLoss.SIGNAL) {
            return null;
        }
        InterruptibleBody run = threadLeases.beginBody();
        lease.interruptOnLoss(run::interrupt);
        if (lease.loss() != null) {
            run.interrupt();
        }
        return run;
    }

    private boolean end(InterruptibleBody run, @Nullable Throwable thrown) {
        threadLeases.endBody(run);
        return run.end(thrown);
    }

    private @Nullable LeaseLostException lossAfter(H lease) {
        try {
            leave(lease);
            return null;
        } catch (LeaseLostException lost) {
            return lost;
        }
    }
}
