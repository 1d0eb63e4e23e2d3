package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A critical section with a result.
 *
 * @param <L> what is held: a {@link Lease} or a {@link LeaseSet}
 * @param <T> the result
 * @param <E> the checked exception it may throw; inferred as {@link RuntimeException} if none
 */
@FunctionalInterface
public interface LockedCall<L, T extends @Nullable Object, E extends Exception> {

    /** Runs under {@code lease}. */
    T call(L lease) throws E;
}
