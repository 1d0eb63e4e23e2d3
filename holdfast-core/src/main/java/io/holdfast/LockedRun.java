package io.holdfast;

/**
 * A body that runs under a lock.
 *
 * @param <E> the checked exception it may throw; inferred as {@link RuntimeException} if none
 */
@FunctionalInterface
public interface LockedRun<E extends Exception> {

    /** Runs under {@code lease}. */
    void run(Lease lease) throws E;
}
