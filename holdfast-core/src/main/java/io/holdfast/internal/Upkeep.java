package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the tenures of a line need as time goes by: renewals, warnings, and the next look. Guarded by the line's mutex. */
final class Upkeep {

    private Upkeep() {}

    /** Ends what is over and renews the rest; returns when to look again, or {@link Keeper#NEVER}. */
    static long look(
            Engine engine, Line line, Tenures tenures, Tenure tenure, Moment now, List<Keeper.Due> due, Followup then) {
        if (tenure.holds == null) {
            if (tenure.term().left(now) > 0) {
                return tenure.term().endNanos();
            }
            // A renewal that has not been answered may still have lengthened it.
            then.release(tenures.remove(tenure));
            return Keeper.NEVER;
        }
        Hold following;
        for (Hold hold = tenure.holds; hold != null && tenure.holds != null; hold = following) {
            following = hold.after;
            if (hold.isOwnerDead()) {
                tenures.end(hold, "its thread ended without unlocking it");
                then.ownerDied(hold);
            } else {
                if (hold.becameUnreachable()) {
                    then.forgotten(hold);
                }
                tenures.dropIfOver(hold, now, then);
            }
        }
        if (tenure.current) {
            tenures.vacated(tenure, then, now);
        }
        return tenure.holds == null ? Keeper.NEVER : keep(engine, line, tenure, now, due, then);
    }

    /** Warns and renews; says when to look again. */
    static long keep(Engine engine, Line line, Tenure tenure, Moment now, List<Keeper.Due> due, Followup then) {
        long next = tenure.term().endNanos();
        long length = 0;
        for (Hold hold = tenure.holds; hold != null; hold = hold.after) {
            next = earlier(next, earlier(hold.endNanos(), warn(engine, hold, now, then)));
            if (hold.isRenewed()) {
                length = Math.max(length, hold.renewalLength(now));
            }
        }
        if (length > 0 || tenure.isShrinking()) {
            if (now.nanos() + tenure.length() / 20 - tenure.nextRenewal >= 0) {
                // What the store has granted so far decides: the first renewal of a short grant is retried within it.
                tenure.nextRenewal = engine.keeper().renewalAfter(now, tenure.length());
                if (tenure.renewing) {
                    failed(tenure, null, then);
                }
                tenure.renewing = true;
                tenure.renewalsUnderWay++;
                due.add(new Keeper.Due(
                        line, tenure, tenure.renewal(length), tenure.term().left(now)));
            }
            next = earlier(next, tenure.nextRenewal);
        }
        return next;
    }

    /** A renewal was answered, or is not sent: it cannot lengthen a claim that was shortened meanwhile any more. */
    static void renewalEnded(Tenure renewed, Followup then) {
        renewed.renewalsUnderWay--;
        if (renewed.renewalsUnderWay == 0 && renewed.shortenAgain) {
            renewed.shortenAgain = false;
            then.shortenAgain(renewed);
        }
    }

    /** The store has renewed a tenure that is in use. */
    static void renewed(Engine engine, Tenure renewed, RenewalRequest sent, Term granted) {
        boolean extended = renewed.kept(sent, granted);
        long next = engine.keeper().renewalAfter(granted.from(), renewed.length());
        // Only later: the next one has been sent already if answers are slow. A downgrade must not wait.
        if (extended && !renewed.isShrinking() && next - renewed.nextRenewal > 0) {
            renewed.nextRenewal = next;
        }
    }

    /** The store has answered that it does not know, or has failed: the next try follows soon. */
    static void renewalFailed(Engine engine, Tenure failed, @Nullable Throwable failure, Followup then) {
        failed.nextRenewal = engine.nanos() + engine.backoff(failed.failures + 1, failed.lease / 6);
        failed(failed, failure, then);
    }

    private static void failed(Tenure failed, @Nullable Throwable failure, Followup then) {
        failed.failures++;
        boolean news = !failed.failing();
        failed.failing(true);
        for (Hold hold = failed.holds; hold != null; hold = hold.after) {
            then.renewalFailed(hold, failure, news);
        }
    }

    /** When to look at the hold again because of the warning, which is given now if it is time. */
    private static long warn(Engine engine, Hold hold, Moment now, Followup then) {
        long warnAt = hold.since + engine.warnAfter();
        if (!hold.warned && now.nanos() - warnAt >= 0) {
            hold.warned = true;
            then.heldTooLong(hold);
        }
        return hold.warned ? hold.endNanos() : warnAt;
    }

    private static long earlier(long one, long other) {
        return other - one < 0 ? other : one;
    }
}
