package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What you hold. Owned by whoever has the object, never by a thread: it may be released from any thread, a reactive
 * signal or a coroutine. Thread-safe.
 *
 * <p>A lease can be lost: the process may have been paused for longer than the lease, or the store was out of reach. The
 * holder's view always ends before the store's, so {@link #state()} and {@link #ensureHeld()} can be believed at the
 * moment they answer; what happens a moment later can only be guarded where the data is, with the {@link #token()}.
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

    /** How long it lasts without a further renewal; zero when it is over. */
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
     * Gives the lock back. Works on an interrupted thread, and never throws because the store is out of reach: the
     * release is then tried again in the background until the lease is over.
     *
     * @return whether it was still ours; false if the lease was lost or released before
     */
    boolean release();

    /** As {@link #release()}, without waiting for the store. */
    CompletableFuture<Boolean> releaseAsync();

    /**
     * Gives the lock back, and tells if it was lost meanwhile. Does nothing when called again.
     *
     * @throws LeaseLostException if the lease was lost before it was closed
     */
    @Override
    void close();
}
