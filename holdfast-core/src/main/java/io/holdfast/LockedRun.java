package io.holdfast;

/**
 * A critical section without a result.
 *
 * @param <L> what is held: a {@link Lease} or a {@link LeaseSet}
 * @param <E> the checked exception it may throw; inferred as {@link RuntimeException} if none
 */
@FunctionalInterface
public interface LockedRun<L, E extends Exception> {

    /** Runs under {@code lease}. */
    void run(L lease) throws E;
}
