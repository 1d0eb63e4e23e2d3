package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The base of all exceptions about locks. Unchecked; names the lock and the store. */
public class HoldfastException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final String storeName;

    /** {@code message} must already say what to do next; the names of lock and store are added to it. */
    public HoldfastException(String lockName, String storeName, String message, @Nullable Throwable cause) {
        super(message + " [lock '" + lockName + "' in " + storeName + "]", cause);
        this.lockName = lockName;
        this.storeName = storeName;
    }

    /** About the store alone. */
    HoldfastException(String storeName, String message, @Nullable Throwable cause) {
        super(message + " [" + storeName + "]", cause);
        this.lockName = "";
        this.storeName = storeName;
    }

    /** The lock's name; empty if it is about the store alone. */
    public String lockName() {
        return lockName;
    }

    /** The store, as its capabilities call it. */
    public String storeName() {
        return storeName;
    }
}
