package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The waiting thread was interrupted; its interrupt flag is set again. The claim was withdrawn. */
public final class LockInterruptedException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public LockInterruptedException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
