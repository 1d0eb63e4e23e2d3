package io.holdfast;

/**
 * A body that runs under a lock and returns something.
 *
 * @param <T> what it returns
 * @param <E> the checked exception it may throw; inferred as {@link RuntimeException} if none
 */
@FunctionalInterface
public interface LockedCall<T extends @org.jspecify.annotations.Nullable Object, E extends Exception> {

    /** Runs under {@code lease}. */
    T call(Lease lease) throws E;
}
