package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be reached, or did not answer until the wait was over, so it is not known whether the lock is free. Also
 * thrown when a {@code Holdfast} is built and its store cannot be reached.
 */
public final class StoreUnavailableException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** The store cannot be opened; {@code message} says why, and what to do next. */
    public StoreUnavailableException(String storeName, String message, @Nullable Throwable cause) {
        super(storeName, message, cause);
    }

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public StoreUnavailableException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
