package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The name is in use as another kind of lock, or as a semaphore with another number of permits. */
public final class WrongKindException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** See {@link HoldfastException#HoldfastException(String, String, String, Throwable)}. */
    public WrongKindException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(lockName, storeName, message, cause);
    }
}
