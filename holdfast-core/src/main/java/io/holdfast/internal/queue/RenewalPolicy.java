package io.holdfast.internal.queue;

import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.Backoff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which leases are renewed, when, and for how long, and what the store's answers mean for the next renewal. All but
 * {@link #measured} is guarded by the mutex of the queue that the grant belongs to.
 */
public final class RenewalPolicy {

    /** No check is needed. */
    public static final long NEVER = Long.MIN_VALUE;

    private final QueueContext context;
    private final Backoff backoff;

    /** The longest time that renewals took to be answered lately. */
    private volatile long latency;

    public RenewalPolicy(QueueContext context, Backoff backoff) {
        this.context = context;
        this.backoff = backoff;
    }

    /** An answer came after {@code nanos}. The longest counts, less an eighth with each answer. Threads may race: it is an estimate. */
    public void measured(long nanos) {
        long present = latency;
        latency = Math.max(nanos, present - present / 8);
    }

    /** Without jitter, which takes as long as the rest: first renewals that are due at the same time go in one batch. */
    long firstRenewalAt(HeldGrant held) {
        long length = held.length();
        return held.deadline().from().nanos() + Math.min(length / 10 * 3, inTime(length));
    }

    /** When to renew again what was renewed at {@code from}. */
    private long nextRenewalAt(Moment from, long length) {
        return from.nanos() + backoff.jittered(Math.min(length / 3, inTime(length)));
    }

    /**
     * The latest time of a renewal whose answer comes a tenth of the lease before its deadline. It counts only where answers take
     * more than half of a lease: to renew more often than every third would overload a store that is slow because it has
     * too much to do, and lose leases that would have survived. Not less than a sixth, for the same reason.
     */
    private long inTime(long length) {
        return Math.max(length / 6, length - length / 10 - latency);
    }

    /** When a new lease has to be checked first, on the monotonic clock. */
    long firstCheckAt(LeaseRecord record) {
        long next = record.endNanos();
        if (record.request.times().renewed()) {
            next = earlier(next, record.held.nextRenewal);
        }
        return earlier(next, record.since + context.warnAfterNanos());
    }

    /** Does the lease need renewals? Not if it is long enough already to reach {@code maxHold}. */
    private static boolean isRenewed(LeaseRecord record) {
        boolean reachesMaxHold =
                record.hasMaxHold() && record.held.deadline().endNanos() - (record.since + record.maxHold()) >= 0;
        return record.request.times().renewed() && !record.isForgotten() && !reachesMaxHold;
    }

    /** For how long the next renewal of the lease should be. */
    private static long renewalLength(LeaseRecord record, Moment now) {
        long lease = record.request.times().lease();
        return record.hasMaxHold()
                ? Math.min(lease, record.maxHold() - (now.nanos() - record.since) + LeaseDeadline.margin(lease))
                : lease;
    }

    /** Ends the leases of a grant that have expired and renews the rest; returns when to check again, or {@link #NEVER}. */
    long check(HeldGrants grants, HeldGrant held, Moment now, List<DueRenewal> due, DeferredActions then) {
        if (held.leases == null) {
            if (held.deadline().left(now) > 0) {
                return held.deadline().endNanos();
            }
            // A renewal that has not been answered may still have lengthened it.
            then.release(grants.remove(held));
            return NEVER;
        }
        LeaseRecord following;
        for (LeaseRecord record = held.leases; record != null && held.leases != null; record = following) {
            following = record.after;
            if (record.isOwnerDead()) {
                grants.end(record, "its thread ended without unlocking it", now);
                then.ownerDied(record);
            } else {
                if (record.becameUnreachable()) {
                    then.forgotten(record);
                }
                grants.dropIfExpired(record, now, then);
            }
        }
        if (held.current) {
            grants.vacated(held, then, now);
        }
        return held.leases == null ? NEVER : renewIfDue(held, now, due, then);
    }

    /** Warns and renews; returns when to check again. */
    long renewIfDue(HeldGrant held, Moment now, List<DueRenewal> due, DeferredActions then) {
        long next = held.deadline().endNanos();
        long length = 0;
        LocalQueue queue = null;
        for (LeaseRecord record = held.leases; record != null; record = record.after) {
            queue = record.queue;
            next = earlier(next, earlier(record.endNanos(), warn(record, now, then)));
            if (isRenewed(record)) {
                length = Math.max(length, renewalLength(record, now));
            }
        }
        if (queue != null && (length > 0 || held.isShrinking())) {
            if (now.nanos() + held.length() / 20 - held.nextRenewal >= 0) {
                // The lease that the store has granted decides: the first renewal of a short grant is retried within
                // it.
                held.nextRenewal = nextRenewalAt(now, held.length());
                if (held.renewing) {
                    failed(held, null, then);
                }
                held.renewing = true;
                held.renewalsUnderWay++;
                due.add(new DueRenewal(
                        queue, held, held.renewal(length), held.deadline().left(now)));
            }
            next = earlier(next, held.nextRenewal);
        }
        return next;
    }

    /** A renewal was answered, or is not sent: it cannot lengthen a claim that was shortened meanwhile any more. */
    void renewalEnded(HeldGrant renewed, DeferredActions then) {
        renewed.renewalsUnderWay--;
        if (renewed.renewalsUnderWay == 0 && renewed.shortenAgain) {
            renewed.shortenAgain = false;
            then.shortenAgain(renewed);
        }
    }

    /** The store has renewed a grant that has leases. */
    void renewed(HeldGrant renewed, RenewalRequest sent, LeaseDeadline granted) {
        boolean extended = renewed.kept(sent, granted);
        long next = nextRenewalAt(granted.from(), renewed.length());
        // Only later: the next one has been sent already if answers are slow. A downgrade must not wait.
        if (extended && !renewed.isShrinking() && next - renewed.nextRenewal > 0) {
            renewed.nextRenewal = next;
        }
    }

    /** The outcome is unknown, or the request failed: the next try follows soon. */
    void renewalFailed(HeldGrant failed, @Nullable Throwable failure, DeferredActions then) {
        failed.nextRenewal = context.nanos() + backoff.delay(failed.failures + 1, failed.lease / 6);
        failed(failed, failure, then);
    }

    private static void failed(HeldGrant failed, @Nullable Throwable failure, DeferredActions then) {
        failed.failures++;
        boolean firstTime = !failed.failing();
        failed.failing(true);
        for (LeaseRecord record = failed.leases; record != null; record = record.after) {
            then.renewalFailed(record, failure, firstTime);
        }
    }

    /** When to check the lease again because of the warning, which is logged now if it is time. */
    private long warn(LeaseRecord record, Moment now, DeferredActions then) {
        long warnAt = record.since + context.warnAfterNanos();
        if (!record.isWarned() && now.nanos() - warnAt >= 0) {
            record.suppressWarning();
            then.heldTooLong(record);
        }
        return record.isWarned() ? record.endNanos() : warnAt;
    }

    private static long earlier(long one, long other) {
        return other - one < 0 ? other : one;
    }
}
