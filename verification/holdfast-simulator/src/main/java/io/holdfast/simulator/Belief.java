package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import org.jspecify.annotations.Nullable;

/** A lease in the hands of a user, and until when its owner believes in it. */
final class Belief {

    final Lease lease;
    final Node node;
    final Role role;
    final int units;
    final LockOptions options;

    /** The grant that the lease is made of; null if there is none, which is a violation. */
    final Receipts.@Nullable Receipt receipt;

    /** The first, second, ... lease that was made of the grant. */
    final int number;

    /** From when on it has its role, in world time. */
    final long from;

    /** When its owner got it, in world time. */
    final long since;

    /** The same on the monotonic clock of its process: not before the engine made the lease. */
    final long sinceNanos;

    /**
     * Did the engine make the lease at {@code since}? It may have been before if the process was woken then, and for a lock
     * of a set, which is handed over with the last of them.
     */
    final boolean isBeginKnown;

    /** When its time is over as things stand, in world time. */
    long validUntil;

    Belief(
            Lease lease,
            Role role,
            int units,
            Node node,
            LockOptions options,
            Receipts.@Nullable Receipt receipt,
            long now) {
        this.lease = lease;
        this.role = role;
        this.units = units;
        this.node = node;
        this.options = options;
        this.receipt = receipt;
        this.number = receipt == null ? 0 : ++receipt.leases;
        this.from = now;
        this.since = now;
        this.sinceNanos = node.process().nanos();
        this.isBeginKnown = role != Role.MEMBER && node.process().awakeSince() < now;
        this.validUntil = now;
    }

    private Belief(Belief writer, long now) {
        this.lease = writer.lease;
        this.role = Role.DOWNGRADED;
        this.units = 1;
        this.node = writer.node;
        this.options = writer.options;
        this.receipt = writer.receipt;
        this.number = writer.number;
        this.from = now;
        this.since = writer.since;
        this.sinceNanos = writer.sinceNanos;
        this.isBeginKnown = writer.isBeginKnown;
        this.validUntil = now;
    }

    /** The writer's lease, now that it is a reader's. */
    Belief downgraded(long now) {
        return new Belief(this, now);
    }

    SimProcess process() {
        return node.process();
    }

    boolean isOver() {
        return lease.remaining().isZero();
    }

    @Override
    public String toString() {
        return "'" + lease.name() + "' token " + lease.token() + " in " + node;
    }
}
