package io.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to a lock in this process.
 *
 * @param kind what
 * @param name the lock's name
 * @param label the label of the acquisition; empty if none
 * @param token the fencing token; 0 where there is no lease
 * @param elapsed how long the wait (waiting, acquire failed, acquired, handed over, timed out) or the hold (all others) has lasted
 * @param cause what went wrong, if something did
 */
public record LockEvent(
        Kind kind,
        String name,
        String label,
        long token,
        Duration elapsed,
        @Nullable Throwable cause) {

    /** What can happen. */
    public enum Kind {
        /** Somebody has to wait behind others of this process. */
        WAITING,
        /** The store did not answer a claim; it is retried for as long as its waiter waits. Sent once per claim. */
        ACQUIRE_FAILED,
        /** The store granted a lease. */
        ACQUIRED,
        /** A lease was passed on inside this process, without asking the store. */
        HANDED_OVER,
        /** A renewal failed; it will be tried again. */
        RENEWAL_FAILED,
        /** The lease will be lost unless a renewal succeeds. */
        AT_RISK,
        /** The lease is over against the holder's will. */
        LOST,
        /** The holder gave the lease back. */
        RELEASED,
        /** Somebody waited in vain. */
        TIMED_OUT,
        /**
         * A lease became unreachable without being closed: it is no longer renewed, and expires. Or the thread that had locked
         * an {@code asLock()} ended without unlocking it: that lease is released.
         */
        FORGOTTEN
    }
}
