package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The store did not answer until the wait was over, so it is not known whether the lock is free. */
public final class StoreUnavailableException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public StoreUnavailableException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
