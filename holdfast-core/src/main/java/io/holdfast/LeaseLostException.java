package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The lease ended before its holder gave it back: what was done under it may have overlapped with the next holder. */
public final class LeaseLostException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public LeaseLostException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
