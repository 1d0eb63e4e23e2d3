package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.LockEvent;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What this process has of one name: its tenures, the latest first, and their holds. Guarded by the line's mutex. */
final class Tenures {

    private final Engine engine;
    private final Line line;
    private @Nullable Tenure first;
    private int wholes;

    /** Whose token it is, as far as this process can tell. */
    enum Whose {
        /** That of a present lease. */
        THAT_LEASE,
        /** Of the same block, but not that of the present lease: to revoke it would hit somebody else. */
        ANOTHER_LEASE,
        /** Nothing that this process has. */
        NOT_OURS
    }

    Tenures(Engine engine, Line line) {
        this.engine = engine;
        this.line = line;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Does this process have all there is? */
    boolean hasWhole() {
        return wholes > 0;
    }

    /** The latest; the others follow by {@link Tenure#after}. */
    @Nullable
    Tenure latest() {
        return first;
    }

    /** The first hold that {@code wanted} accepts. */
    @Nullable
    Hold find(Predicate<Hold> wanted) {
        for (Tenure tenure = first; tenure != null; tenure = tenure.after) {
            for (Hold hold = tenure.holds; hold != null; hold = hold.after) {
                if (wanted.test(hold)) {
                    return hold;
                }
            }
        }
        return null;
    }

    /** The one in whose block {@code token} is. */
    @Nullable
    Tenure of(long token) {
        Tenure tenure = first;
        while (tenure != null && !tenure.hasInBlock(token)) {
            tenure = tenure.after;
        }
        return tenure;
    }

    Whose revoking(long token) {
        Tenure its = of(token);
        if (its == null) {
            return Whose.NOT_OURS;
        }
        if (!its.isUsedWith(token)) {
            return Whose.ANOTHER_LEASE;
        }
        its.revoking = true;
        return Whose.THAT_LEASE;
    }

    Tenure add(Grant grant) {
        Tenure tenure = new Tenure(grant, engine.slice());
        Tenure next = first;
        tenure.after = next;
        if (next != null) {
            next.before = tenure;
        }
        first = tenure;
        tenure.current = true;
        wholes += tenure.isWhole() ? 1 : 0;
        return tenure;
    }

    Tenure remove(Tenure tenure) {
        Tenure previous = tenure.before;
        Tenure next = tenure.after;
        if (previous == null) {
            first = next;
        } else {
            previous.after = next;
        }
        if (next != null) {
            next.before = previous;
        }
        tenure.before = null;
        tenure.after = null;
        tenure.current = false;
        wholes -= tenure.isWhole() ? 1 : 0;
        return tenure;
    }

    void shrinkToReader(Tenure tenure) {
        wholes -= tenure.isWhole() ? 1 : 0;
        tenure.shrinkToReader();
    }

    /** Makes a hold for the waiter: with the next token, or with that of the readers it shares the tenure with. */
    void attach(Waiter waiter, Tenure tenure, Followup then, Moment now) {
        boolean granted = tenure.isFresh();
        boolean alone = tenure.holds == null;
        HeldLease lease = new HeldLease(engine);
        long token = alone ? tenure.nextToken() : tenure.sharedToken();
        Hold hold = new Hold(lease, line, tenure, waiter, token, now.nanos());
        lease.bind(hold);
        if (alone) {
            tenure.nextRenewal = engine.renewalAfter(tenure.term().from(), tenure.lease);
        }
        tenure.add(hold);
        then.serve(waiter, lease, granted ? LockEvent.Kind.ACQUIRED : LockEvent.Kind.HANDED_OVER);
    }

    /** The holder is done with it. Its tenure stays, for the line to decide about. */
    void end(Hold hold, String why) {
        hold.tenure.remove(hold);
        if (hold.terms.holdAtLeast() > 0) {
            hold.tenure.holdBackUntil(hold.since + hold.terms.holdAtLeast());
        }
        hold.end(LeaseState.RELEASED, why);
    }

    void dropIfOver(Hold hold, Moment now, Followup then) {
        if (hold.recorded() == LeaseState.HELD && hold.left(now) <= 0) {
            drop(hold, now, hold.whyOver(now), then);
        }
    }

    /** The holder loses its lease; if the tenure is over, all of its holders do. */
    void drop(Hold hold, Moment now, String reason, Followup then) {
        if (hold.tenure.term().left(now) <= 0) {
            dropAll(hold.tenure, reason, then);
        } else {
            drop(hold, reason, then);
        }
    }

    void dropAll(Tenure tenure, String reason, Followup then) {
        while (tenure.holds != null) {
            drop(tenure.holds, reason, then);
        }
    }

    /** The tenure leaves with its last hold, and not to the store: the body may still be running. */
    private void drop(Hold hold, String reason, Followup then) {
        Tenure tenure = hold.tenure;
        tenure.remove(hold);
        tenure.ghosts++;
        hold.end(LeaseState.LOST, reason);
        then.lost(hold);
        if (tenure.holds == null) {
            remove(tenure);
        }
    }
}
