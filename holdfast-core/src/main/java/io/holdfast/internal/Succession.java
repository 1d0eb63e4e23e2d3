package io.holdfast.internal;

import io.holdfast.spi.Moment;

/** Who has a tenure next: the first in line, several readers together, or nobody here. Guarded by the line's mutex. */
final class Succession {

    private final Engine engine;
    private final WaiterQueue waiters;
    private final Tenures tenures;

    Succession(Engine engine, WaiterQueue waiters, Tenures tenures) {
        this.engine = engine;
        this.waiters = waiters;
        this.tenures = tenures;
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
        long heldBack = tenure.heldBackFor(now.nanos());
        if (tenure.ghosts > 0) {
            tenures.remove(tenure);
        } else if (heldBack > 0) {
            then.releaseLater(tenures.remove(tenure), heldBack);
        } else {
            serve(tenure, then, now, false);
        }
    }

    /** Lets the readers at the head of the queue share it. */
    void admitReaders(Tenure shared, Followup then, Moment now) {
        Waiter head = waiters.head();
        while (head != null && head.wish.share().isRead() && shared.admits(head.wish.terms(), now)) {
            waiters.remove(head);
            tenures.attach(head, shared, then, now);
            head = waiters.head();
        }
    }

    /** Gives a tenure that nobody uses to the first waiter, renews it for the first waiter, or gives it back. */
    private void serve(Tenure free, Followup then, Moment now, boolean fresh) {
        Waiter head = waiters.head();
        if (head == null || head.wish.share().units() != free.units()) {
            then.release(tenures.remove(free));
            return;
        }
        switch (fit(free, head.wish.terms(), now, fresh)) {
            case NOW -> {
                waiters.remove(head);
                tenures.attach(head, free, then, now);
                admitReaders(free, then, now);
            }
            case AFTER_RENEWAL ->
                then.adjust(free, free.renewal(head.wish.terms().lease()));
            case NEVER -> then.release(tenures.remove(free));
        }
    }

    private Tenure.Fit fit(Tenure free, Terms wanted, Moment now, boolean fresh) {
        long left = free.term().left(now);
        if (left <= 0 || !free.hasTokens() || free.revoking || engine.isClosing()) {
            return Tenure.Fit.NEVER;
        }
        if (fresh) {
            return free.fitsFresh(wanted);
        }
        return now.nanos() - free.sliceEnd < 0 ? free.fits(wanted, left) : Tenure.Fit.NEVER;
    }
}
