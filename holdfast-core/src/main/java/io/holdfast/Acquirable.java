package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The ways to acquire a {@link DistributedLock}, a {@link DistributedSemaphore} or a {@link LockSet}: blocking, with a timeout, as a
 * single attempt, asynchronously, and around a critical section. Objects are cheap to make, thread-safe, and equal in effect to
 * every other one of that name on the same store.
 *
 * <p>A wait has one deadline that covers everything: the local queue of this process, the wait queue in the store, and
 * outages of the store. Threads of one process are served in the order of their arrival; the order between processes is that of the
 * store ({@link io.holdfast.spi.Capabilities.Queue}). A name that is in use in another kind or size is refused with
 * {@link WrongKindException}. All methods that wait throw:
 *
 * <ul>
 *   <li>{@link LockTimeoutException} if the lock was still held at the deadline;
 *   <li>{@link StoreUnavailableException} if the store did not answer until the deadline;
 *   <li>{@link LockInterruptedException} if the waiting thread was interrupted;
 *   <li>{@link SelfDeadlockException} if only the calling thread itself could release what it would wait for;
 *   <li>{@link HoldfastClosedException} after {@link Holdfast#close()}.
 * </ul>
 *
 * @param <L> what is acquired: a {@link Lease} or a {@link LeaseSet}
 */
public interface Acquirable<L> {

    /** The options of the leases. */
    LockOptions options();

    /** Waits up to {@link LockOptions#maxWait()}. Release with try-with-resources. */
    L acquire();

    /** As {@link #acquire()}, with another maximum wait. */
    L acquire(Duration maxWait);

    /**
     * One attempt: empty if the lock is held, or if others wait for it.
     *
     * <pre>{@code
     * Optional<Lease> attempt = lock.tryAcquire();
     * if (attempt.isPresent()) {
     *     try (Lease lease = attempt.get()) { … }
     * }
     * }</pre>
     *
     * @throws StoreUnavailableException if the store does not answer
     */
    Optional<L> tryAcquire();

    /** As {@link #acquire(Duration)}, but empty if the lock was still held at the deadline. */
    Optional<L> tryAcquire(Duration maxWait);

    /**
     * As {@link #acquire()}, without a waiting thread. Cancelling the future withdraws the claim; a lease that is granted too late for
     * it is released. Completes on the executor of the {@link Holdfast}, or before this method returns.
     */
    CompletableFuture<L> acquireAsync();

    /** As {@link #acquireAsync()}, with another maximum wait. */
    CompletableFuture<L> acquireAsync(Duration maxWait);

    /** As {@link #tryAcquire()}, without a waiting thread. */
    CompletableFuture<Optional<L>> tryAcquireAsync();

    /** As {@link #tryAcquire(Duration)}, without a waiting thread. */
    CompletableFuture<Optional<L>> tryAcquireAsync(Duration maxWait);

    /** Acquires, runs the body, releases. Throws {@link LeaseLostException} if the lease was lost while the body ran. */
    <T extends @Nullable Object, E extends Exception> T call(LockedCall<L, T, E> body) throws E;

    /** As {@link #call}, for a body without a result. */
    <E extends Exception> void run(LockedRun<L, E> body) throws E;

    /**
     * Runs the body if one attempt acquires the lock.
     *
     * @return whether it ran
     */
    <E extends Exception> boolean tryRun(LockedRun<L, E> body) throws E;

    /** As {@link #tryRun(LockedRun)}, waiting up to {@code maxWait}. */
    <E extends Exception> boolean tryRun(Duration maxWait, LockedRun<L, E> body) throws E;

    /**
     * Runs the body if one attempt acquires the lock.
     *
     * @return its result, which must not be null; empty if it did not run
     */
    <T, E extends Exception> Optional<T> tryCall(LockedCall<L, T, E> body) throws E;

    /** As {@link #tryCall(LockedCall)}, waiting up to {@code maxWait}. */
    <T, E extends Exception> Optional<T> tryCall(Duration maxWait, LockedCall<L, T, E> body) throws E;

    /**
     * Acquires without a waiting thread, runs the body on the executor of the {@link Holdfast}, and releases when the stage that the body
     * returns has completed. The future completes after the release, with the result of the stage; with its failure; or with
     * {@link LeaseLostException} if the lease was lost meanwhile.
     *
     * <p>Cancelling the future, or a timeout of it, withdraws the claim while it waits. Later it stops nothing: the lock is held until the
     * stage completes, because the work may still be running. Not re-entrant; {@link LockOptions.OnLoss#INTERRUPT} has no effect.
     */
    <T extends @Nullable Object> CompletableFuture<T> callAsync(Function<? super L, ? extends CompletionStage<T>> body);
}
