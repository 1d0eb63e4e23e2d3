package io.holdfast.soak;

import io.holdfast.tck.Span;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * When locks were lost: the server has lost its data, or has ended the sessions that had locks. A lock cannot outlive that:
 * whoever had it goes on believing until its next renewal, and meanwhile somebody else may get it. Nothing but that is excused,
 * and never two equal tokens. Leases in a table are never lost, so whoever soaks one adds nothing here. Thread-safe.
 *
 * <p>When a grant was made can be read from its token: microseconds on the server's clock, which is this machine's.
 */
final class Losses {

    /** A block of tokens goes a little into the future. */
    private static final long BLOCK = 64;

    private final List<Loss> losses = new CopyOnWriteArrayList<>();

    /**
     * What was there is gone.
     *
     * @param name of what; null for everything
     * @param first the first token of what is gone
     * @param last the last token of what is gone
     * @param next a token of what was granted afterwards is not smaller
     * @param nanos a time before it was gone
     * @param until the last moment at which somebody who had it may believe to have it
     */
    private record Loss(@Nullable String name, long first, long last, long next, long nanos, long until) {

        boolean concerns(String its, long token) {
            return (name == null || name.equals(its)) && first <= token && token <= last;
        }
    }

    /**
     * Everything that was there is gone.
     *
     * @param nanos a time before it was gone
     * @param micros a time on the server's clock when it was gone, and nothing had been granted since
     */
    void ofAll(long nanos, long micros) {
        losses.add(new Loss(null, Long.MIN_VALUE, micros + BLOCK, micros, nanos, Long.MAX_VALUE));
    }

    /**
     * All sessions have ended, one after the other, and with them their locks. What one of them had may have been granted to another
     * that ended later. A holder that cannot renew believes for no longer than its lease.
     *
     * @param nanos a time before the first had ended
     * @param since the same time on the server's clock
     * @param micros a time on the server's clock when all had ended, and nothing had been granted since
     * @param ended the same time
     */
    void ofSessions(long nanos, long since, long micros, long ended) {
        losses.add(new Loss(null, Long.MIN_VALUE, micros + BLOCK, since, nanos, ended + Names.LONGEST_LEASE.toNanos()));
    }

    /**
     * One session has ended, and with it the lock of that name and those tokens.
     *
     * @param nanos a time before it had ended
     * @param ended a time when it had ended
     */
    void ofSession(String name, long firstToken, long lastToken, long nanos, long ended) {
        losses.add(new Loss(name, firstToken, lastToken, lastToken + 1, nanos, ended + Names.LONGEST_LEASE.toNanos()));
    }

    /** Might the grant have been forgotten by then, and its holder not know it yet? */
    boolean forgotten(Span grant, long now) {
        return losses.stream()
                .anyMatch(loss ->
                        loss.concerns(grant.name(), grant.token()) && loss.nanos <= now && grant.to() <= loss.until);
    }

    /** Was the smaller one of two grants of a name lost before the larger one was made? */
    boolean parted(String name, long smaller, long larger) {
        return losses.stream().anyMatch(loss -> loss.concerns(name, smaller) && larger >= loss.next);
    }

    int count() {
        return losses.size();
    }
}
