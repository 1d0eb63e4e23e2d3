package io.holdfast;

import io.holdfast.monitoring.LockInfo;
import java.time.Duration;
import java.util.Optional;

/** The lock was still held when the maximum wait was over. */
public final class LockTimeoutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;
    private final transient Optional<LockInfo> lockInfo;

    /** {@code message} must already say what to do next; the names of lock and store are added to it. */
    public LockTimeoutException(
            String lockName, String storeName, String message, Duration waited, Optional<LockInfo> lockInfo) {
        super(lockName, storeName, message, null);
        this.waited = waited;
        this.lockInfo = lockInfo;
    }

    /** How long the wait was. */
    public Duration waited() {
        return waited;
    }

    /**
     * The holder, if it is known: one in this process, or what the store reported shortly before the end of the wait. Empty after
     * deserialization.
     */
    @SuppressWarnings("OptionalAssignedToNull") // after deserialization
    public Optional<LockInfo> lockInfo() {
        return lockInfo == null ? Optional.empty() : lockInfo;
    }
}
