package io.holdfast;

/** The store does not support what is requested, such as semaphores or {@code holdAtLeast}. */
public final class UnsupportedCapabilityException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** {@code message} must already say what to use instead; the names of lock and store are added to it. */
    public UnsupportedCapabilityException(String lockName, String storeName, String message) {
        super(lockName, storeName, message, null);
    }
}
