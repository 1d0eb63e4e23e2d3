package io.holdfast.internal;

import io.holdfast.spi.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the tenures of a line need as time goes by: renewals, warnings, and the next look. Guarded by the line's mutex. */
final class Upkeep {

    private Upkeep() {}

    /** Warns and renews; says when to look again. */
    static long keep(Engine engine, Line line, Tenure tenure, Moment now, List<Keeper.Due> due, Followup then) {
        long next = tenure.term().endNanos();
        long length = 0;
        for (Hold hold = tenure.holds; hold != null; hold = hold.after) {
            next = earlier(next, earlier(hold.endNanos(), warn(engine, hold, now, then)));
            if (hold.terms.renewed() && !hold.reachesMaxHold()) {
                length = Math.max(length, hold.renewalLength(now));
            }
        }
        if (length > 0 || tenure.isShrinking()) {
            if (now.nanos() + tenure.length() / 20 - tenure.nextRenewal >= 0) {
                if (tenure.renewing) {
                    renewalFailed(engine, tenure, null, then);
                }
                tenure.renewing = true;
                tenure.nextRenewal = engine.renewalAfter(now, tenure.lease);
                due.add(new Keeper.Due(line, tenure, tenure.renewal(length)));
            }
            next = earlier(next, tenure.nextRenewal);
        }
        return next;
    }

    static void renewalFailed(Engine engine, Tenure failed, @Nullable Throwable failure, Followup then) {
        failed.failures++;
        boolean news = !failed.failing();
        failed.failing(true);
        failed.nextRenewal = engine.nanos() + engine.backoff(failed.failures, failed.lease / 6);
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
