package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The wait is over and the lock is still taken. Names the holder when it is known. */
public final class LockTimeoutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public LockTimeoutException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
