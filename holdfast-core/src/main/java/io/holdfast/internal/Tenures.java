package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this process has of one name: its tenures, the latest first, with their holds; and who has them next. Guarded by the
 * line's mutex.
 */
final class Tenures {

    private final Engine engine;
    private final Line line;
    private final WaiterQueue waiters;
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

    Tenures(Engine engine, Line line, WaiterQueue waiters) {
        this.engine = engine;
        this.line = line;
        this.waiters = waiters;
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

    /** Of the block that {@code token} is in: the token in use and how many follow; null if none is in use here. */
    TokenClock.@Nullable Block inUse(long token) {
        Tenure its = of(token);
        return its == null ? null : its.tokensInUse();
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

    /** The store is in this process and nobody is in the way: no bid, no answer to wait for. Null if that is not so. */
    @Nullable
    Tenure addDirectly(Waiter waiter, long now) {
        DirectStore direct = engine.direct();
        if (direct == null) {
            return null;
        }
        Claim claim = engine.claim(waiter);
        Grant grant = direct.grantNow(claim, now);
        return grant == null ? null : add(claim, grant);
    }

    Tenure add(Claim asked, Grant grant) {
        Tenure tenure = new Tenure(asked, grant, engine.slice());
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
        long token = alone ? tenure.nextToken() : tenure.sharedToken();
        HeldLease lease = new HeldLease(engine, line, tenure, waiter, token, now.nanos());
        if (alone) {
            tenure.nextRenewal = engine.keeper().firstRenewalAfter(tenure.term().from(), tenure.length());
        }
        tenure.add(lease.hold());
        if (granted && !tenure.isConfirmed()) {
            then.confirm(tenure);
        }
        then.serve(waiter, lease, granted ? LockEvent.Kind.ACQUIRED : LockEvent.Kind.HANDED_OVER);
    }

    /** The holder is done with it. Its tenure stays, for the line to decide about. */
    void end(Hold hold, String why) {
        hold.tenure.remove(hold);
        holdBack(hold);
        hold.released(why);
    }

    private static void holdBack(Hold ended) {
        if (ended.terms.holdAtLeast() > 0 && !ended.unseen) {
            ended.tenure.holdBackUntil(ended.since + ended.terms.holdAtLeast());
        }
    }

    void dropIfOver(Hold hold, Moment now, Followup then) {
        if (hold.recorded() == LeaseState.HELD && hold.left(now) <= 0) {
            drop(hold, now, hold.whyOver(now), then);
        }
    }

    /** The holder loses its lease; if the tenure is over, all of its holders do. */
    void drop(Hold hold, Moment now, String reason, Followup then) {
        Tenure tenure = hold.tenure;
        boolean isOver = tenure.term().left(now) <= 0;
        drop(hold, reason, then);
        while (isOver && tenure.holds != null) {
            drop(tenure.holds, tenure.holds.whyOver(now), then);
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
        // It may end before its time is over: close() takes it away while the store keeps it.
        holdBack(hold);
        engine.late(tenure.life());
        hold.lost(reason, engine.nanos());
        then.lost(hold);
        if (tenure.holds == null) {
            remove(tenure);
        }
    }

    /** The tenure began just now, by grant or renewal. */
    void begun(Tenure fresh, Followup then, Moment now) {
        serve(fresh, then, now, true);
    }

    /** A hold has left the tenure. */
    void vacated(Tenure tenure, Followup then, Moment now) {
        if (tenure.holds != null) {
            return;
        }
        if (tenure.ghosts > 0) {
            remove(tenure);
        } else if (tenure.heldBackFor(now.nanos()) > 0) {
            giveBack(remove(tenure), then, now);
        } else {
            serve(tenure, then, now, false);
        }
    }

    /** To the store; not before its time. */
    void giveBack(Tenure gone, Followup then, Moment now) {
        long heldBack = gone.heldBackFor(now.nanos());
        if (heldBack > 0) {
            then.releaseLater(gone, heldBack);
            if (gone.renewalsUnderWay > 0) {
                // They may lengthen what is shortened now.
                gone.shortenAgain = true;
                engine.releaser().awaitsRenewal();
            }
        } else {
            then.release(gone);
        }
    }

    /** Lets the readers at the head of the queue share it. */
    void admitReaders(Tenure shared, Followup then, Moment now) {
        Waiter head = waiters.head();
        while (head != null && head.wish.share().isRead() && shared.admits(head.wish.terms(), now)) {
            waiters.remove(head);
            attach(head, shared, then, now);
            head = waiters.head();
        }
    }

    /** Gives a tenure that nobody uses to the first waiter, renews it for the first waiter, or gives it back. */
    private void serve(Tenure free, Followup then, Moment now, boolean fresh) {
        Waiter head = waiters.head();
        if (head == null || head.wish.share().units() != free.units()) {
            then.release(remove(free));
            return;
        }
        switch (fit(free, head.wish.terms(), now, fresh)) {
            case NOW -> {
                waiters.remove(head);
                attach(head, free, then, now);
                admitReaders(free, then, now);
            }
            case AFTER_RENEWAL ->
                then.adjust(free, free.renewal(head.wish.terms().lease()));
            case NEVER -> then.release(remove(free));
        }
    }

    private Tenure.Fit fit(Tenure free, Terms wanted, Moment now, boolean fresh) {
        long left = free.term().left(now);
        if (left <= 0 || !free.hasTokens() || free.revoking || engine.isClosing()) {
            return Tenure.Fit.NEVER;
        }
        if (fresh) {
            Tenure.Fit fit = free.fitsFresh(wanted);
            // Not if the answer took so long that the lease would be lost before its first renewal.
            return fit == Tenure.Fit.NOW && left < free.length() / 3 ? Tenure.Fit.AFTER_RENEWAL : fit;
        }
        return now.nanos() - free.sliceEnd < 0 ? free.fits(wanted, left) : Tenure.Fit.NEVER;
    }
}
