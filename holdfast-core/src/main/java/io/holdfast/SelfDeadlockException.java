package io.holdfast;

/** The calling thread holds what it would wait for, so the wait could not end. */
public final class SelfDeadlockException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** {@code message} must already say what to do next; the names of lock and store are added to it. */
    public SelfDeadlockException(String lockName, String storeName, String message) {
        super(lockName, storeName, message, null);
    }
}
