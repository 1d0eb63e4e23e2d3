package io.holdfast.monitoring;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to a lock in this process.
 *
 * <p>Waits and leases can be counted. Each wait begins with {@link Kind#REQUESTED} and ends with exactly one event of which
 * {@link Kind#endsWait()} is true. Each lease begins with {@link Kind#ACQUIRED} or {@link Kind#HANDED_OVER} and ends with exactly one
 * event of which {@link Kind#endsLease()} is true. A re-entrant call is neither a wait nor a lease. A call that is refused before it
 * waits, because it would deadlock with itself or its thread is interrupted, has no events.
 *
 * @param sequence the number of the event in its {@code Holdfast}, from 1 on. Events of different names may come slightly out of the order of
 *     their numbers; a number that never comes was dropped
 * @param time when it happened, on the clock of this machine
 * @param kind what happened
 * @param name the lock's name
 * @param label the label of the acquisition; empty if none
 * @param token the fencing token; 0 where there is no lease
 * @param elapsed how long the wait has lasted for the events of a wait and for the begin of a lease, else how long the lease was held
 * @param cause the failure, if there is one; for {@link Kind#LOST} a {@link io.holdfast.LeaseLostException} with the reason
 */
public record LockEvent(
        long sequence,
        Instant time,
        Kind kind,
        String name,
        String label,
        long token,
        Duration elapsed,
        @Nullable Throwable cause) {

    /** What can happen. */
    public enum Kind {
        /** An acquisition or a single attempt begins. */
        REQUESTED(Role.OTHER),
        /** An acquisition waits behind others of this process. */
        WAITING(Role.OTHER),
        /** The store did not answer a claim; it is retried for as long as its waiter waits. Sent once per claim. */
        ACQUIRE_FAILED(Role.OTHER),
        /** The store granted a lease. */
        ACQUIRED(Role.ENDS_WAIT),
        /** A lease was handed over inside this process, without a store round trip. */
        HANDED_OVER(Role.ENDS_WAIT),
        /** A single attempt found the lock held, or others waiting for it. */
        REFUSED(Role.ENDS_WAIT),
        /** The wait reached its maximum and the lock was still held. */
        TIMED_OUT(Role.ENDS_WAIT),
        /** The future of an asynchronous acquisition was cancelled, or completed by somebody else. */
        CANCELLED(Role.ENDS_WAIT),
        /** The waiting thread was interrupted. */
        INTERRUPTED(Role.ENDS_WAIT),
        /** The wait ended with an exception: the store was unavailable or refused the claim, or the {@code Holdfast} was closed. */
        FAILED(Role.ENDS_WAIT),
        /** A renewal failed; it will be retried. */
        RENEWAL_FAILED(Role.OTHER),
        /** The lease will be lost unless a renewal succeeds. */
        AT_RISK(Role.OTHER),
        /**
         * A lease became unreachable without being closed: it is no longer renewed, and expires. Or the thread that had locked
         * an {@code asLock()} ended without unlocking it: that lease is released. The end of the lease is an event of its own.
         */
        FORGOTTEN(Role.OTHER),
        /** The holder released the lease. Where the store was called for that, the event comes with its answer. */
        RELEASED(Role.ENDS_LEASE),
        /** The lease ended before its holder released it. */
        LOST(Role.ENDS_LEASE),
        /** This process released a lease by force, its own or that of another process. The end of an own lease is an event of its own. */
        FORCE_RELEASED(Role.OTHER);

        private enum Role {
            ENDS_WAIT,
            ENDS_LEASE,
            OTHER
        }

        private final Role role;

        Kind(Role role) {
            this.role = role;
        }

        /** Is this the end of a wait? */
        public boolean endsWait() {
            return role == Role.ENDS_WAIT;
        }

        /** Is this the begin of a lease? */
        public boolean beginsLease() {
            return this == ACQUIRED || this == HANDED_OVER;
        }

        /** Is this the end of a lease? */
        public boolean endsLease() {
            return role == Role.ENDS_LEASE;
        }
    }
}
