package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The leases of a {@link LockSet}, held and released together. Owned by the code that has the object, like a {@link Lease}.
 * Thread-safe.
 *
 * <p>If one of them is lost, the set is lost: its work must not be trusted. The others are held until it is closed.
 */
public interface LeaseSet extends AutoCloseable {

    /** The names, each once, in the order in which they were acquired. */
    List<String> names();

    /**
     * The lease on one of the names, with its own token. The set releases it: its {@code close()} and
     * {@code release()} release nothing, and report only whether it was lost.
     *
     * @throws IllegalArgumentException if the name is not in the set
     */
    Lease lease(String name);

    /** The worst of the states: lost if one is lost, at risk if one is. */
    LeaseState state();

    /** Are all of them held at this moment? */
    boolean isHeld();

    /** How long all of them last without a further renewal; zero when one is over. */
    Duration remaining();

    /**
     * Throws unless all of them are still held at this moment.
     *
     * @throws LeaseLostException if one is lost, or they were released
     */
    void ensureHeld();

    /** Runs {@code callback} once, on the executor, when the first of them is lost; at once if one already is. */
    void onLost(Runnable callback);

    /**
     * Releases all of them, as {@link Lease#release()} does.
     *
     * @return whether all were still held; false if one was lost, or they were released before
     */
    boolean release();

    /** As {@link #release()}, without waiting for the store. */
    CompletableFuture<Boolean> releaseAsync();

    /**
     * Releases all of them, and throws if one was lost meanwhile. Does nothing when called again.
     *
     * @throws LeaseLostException if one was lost before it was closed
     */
    @Override
    void close();
}
