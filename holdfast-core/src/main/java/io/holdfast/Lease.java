package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that is held until it is released or its lease expires. Owned by the code that has the object, never by a thread: it may be
 * released from any thread, a reactive signal or a coroutine. Thread-safe.
 *
 * <p>A lease can be lost: the process was paused for longer than the lease, or the store was unavailable. The lease always expires
 * for its holder before it expires in the store, so {@link #isHeld()} and {@link #ensureHeld()} are right at the
 * moment they answer; what happens a moment later can only be guarded where the data is, with the fencing {@link #token()}.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *     repository.reserve(lease.token(), room, guest);
 * }
 * }</pre>
 */
public interface Lease extends AutoCloseable {

    /** The lock's name. */
    String name();

    /** The fencing token: greater than that of every earlier exclusive lease on this name. */
    long token();

    /** The state at this moment. */
    LeaseState state();

    /** Is it held at this moment? */
    default boolean isHeld() {
        LeaseState now = state();
        return now == LeaseState.HELD || now == LeaseState.AT_RISK;
    }

    /** How long it lasts without a further renewal; zero when it has ended. */
    Duration remaining();

    /**
     * Throws unless the lease is still held at this moment.
     *
     * @throws LeaseLostException if it is lost, or was released
     */
    void ensureHeld();

    /** Runs {@code callback} once, on the executor, when the lease is lost; at once if it already is. */
    void onLost(Runnable callback);

    /**
     * Releases the lock. Works on an interrupted thread, and never throws because the store is unavailable: the
     * release is then retried in the background until the lease expires.
     *
     * @return whether it was still held; false if the lease was lost or released before
     */
    boolean release();

    /** As {@link #release()}, without waiting for the store. */
    CompletableFuture<Boolean> releaseAsync();

    /**
     * Releases the lock, and throws if it was lost meanwhile. Does nothing when called again.
     *
     * @throws LeaseLostException if the lease was lost before it was closed
     */
    @Override
    void close();
}
