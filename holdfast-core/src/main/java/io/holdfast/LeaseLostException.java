package io.holdfast;

/** The lease ended before its holder released it: work done under it may have overlapped with that of the next holder. */
public final class LeaseLostException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final long token;
    private final Reason reason;

    /** Why a lease ended. */
    public enum Reason {
        /** It expired: no renewal succeeded in time, renewal is off, or the process was paused. */
        EXPIRED,
        /** It reached {@link LockOptions#maxHold()}. */
        MAX_HOLD_REACHED,
        /** The store does not have it any more: another process released it by force, or the store lost data. */
        NOT_IN_STORE,
        /** This process released it by force. */
        FORCE_RELEASED,
        /** Its object became unreachable without being closed, so it was not renewed any more. */
        UNREACHABLE,
        /** The {@link Holdfast} was closed while it was held. */
        HOLDFAST_CLOSED,
        /** It was released by the code that holds it, before {@link Lease#ensureHeld()} was called. */
        RELEASED
    }

    /** {@code message} must already say what to do next; the names of lock and store are added to it. */
    public LeaseLostException(String lockName, String storeName, long token, Reason reason, String message) {
        super(lockName, storeName, message, null);
        this.token = token;
        this.reason = reason;
    }

    /** The fencing token of the lease. */
    public long token() {
        return token;
    }

    /** Why it ended. */
    public Reason reason() {
        return reason;
    }
}
