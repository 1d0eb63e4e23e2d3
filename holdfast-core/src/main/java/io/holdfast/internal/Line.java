package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Renewal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The queue of this process for one name, and the grant that it may have. Lives while it has either. */
final class Line {

    /*
     * Invariants, all under the mutex:
     *
     *   I1  At most one of `bid` and `tenure` is there. So at most one claim of this process waits in the store, however
     *       many waiters there are, and a grant is never asked for while one is at hand.
     *   I2  `hold` is there only together with the `tenure` that it uses: at most one lease of this process is current.
     *   I3  If somebody waits, there is a bid, or a tenure whose hold will be released or lost, or a renewal of the tenure
     *       under way (`adjusting`). `settle` restores this at the end of every step, so nobody waits for nothing.
     *   I4  A tenure leaves in exactly one way: passed to the next hold, given back to the store, or lost. A grant that
     *       arrives for nobody is given back. So no grant is dropped and none is used twice.
     *
     * Mutual exclusion: two holds of one tenure follow each other, because the next is made after the former has left HELD
     * (I2), with a larger token of the same block. Holds of different tenures are kept apart by the store, as long as each
     * ends, in the holder's view, before the store's lease does; `Term` sees to that, and every local pass looks at it
     * again. A lost hold is not released to the store, because its body may still be running: the store keeps the others
     * out until the lease is over there too.
     *
     * The store, the user's code and the waiters are called without the mutex, from `Followup`.
     */
    private final Engine engine;
    private final String name;
    private final HolderSight sight;
    private final ReentrantLock mutex = new ReentrantLock();
    private final WaiterQueue waiters = new WaiterQueue();
    private @Nullable Bid bid;
    private @Nullable Tenure tenure;
    private volatile @Nullable Hold hold;
    private boolean retired;

    Line(Engine engine, String name) {
        this.engine = engine;
        this.name = name;
        this.sight = new HolderSight(engine, this);
    }

    String name() {
        return name;
    }

    HolderSight sight() {
        return sight;
    }

    /** The current lease of this process. */
    @Nullable
    Hold hold() {
        return hold;
    }

    /** Lines up. False if this line has been taken down meanwhile: use a new one. */
    boolean join(Waiter waiter) {
        return step(then -> {
            if (retired) {
                return false;
            }
            if (hold != null) {
                dropHoldIfOver(then, engine.now());
            }
            boolean alone = bid == null && tenure == null && waiters.isEmpty();
            if (engine.isClosing()) {
                then.refuse(waiter, engine.closed(name));
            } else if (waiter.mode == Claim.Mode.TRY && !alone) {
                then.refuse(waiter, null);
            } else {
                waiters.add(waiter);
                if (!alone) {
                    then.waits(waiter);
                }
            }
            return true;
        });
    }

    /** Gives up waiting. False if the waiter has been served or refused meanwhile. */
    boolean leave(Waiter waiter) {
        return step(then -> {
            if (!waiters.remove(waiter)) {
                return false;
            }
            withdrawIfNobodyWaits(then);
            return true;
        });
    }

    /** Sends everybody away, because of {@code close()}. Leases stay. */
    void dismiss() {
        Waiter head = head();
        while (head != null) {
            if (leave(head)) {
                head.refused(engine.closed(name));
            }
            head = head();
        }
    }

    /** The store's answer to a bid: a grant, a failure, or neither for "taken". */
    void answered(Bid asked, @Nullable Grant grant, @Nullable Throwable failure) {
        step(then -> {
            if (bid != asked) {
                // Withdrawn, and released at the store then; a grant shows that the two may have crossed.
                if (grant != null) {
                    then.release(asked.claim);
                }
            } else if (grant != null) {
                bid = null;
                tenure = new Tenure(grant, engine.slice());
                Moment now = engine.now();
                if (tenure.term().left(now) > 0) {
                    serve(then, now, true);
                } else {
                    cameTooLate(asked, then);
                }
            } else if (asked.claim.mode() == Claim.Mode.TRY) {
                bid = null;
                if (failure != null) {
                    then.release(asked.claim);
                }
                if (waiters.remove(asked.waiter)) {
                    then.refuse(asked.waiter, failure == null ? null : engine.unavailable(name, failure));
                }
            } else {
                asked.failures++;
                asked.failure = failure != null
                        ? Futures.unwrapped(failure)
                        : new IllegalStateException("The store sent the claim away.");
                then.retry(asked);
            }
            return true;
        });
    }

    /**
     * The holder gives its lease back.
     *
     * @return what the store said, if it was asked: empty for "unknown"; null if the hold was over before
     */
    @Nullable
    CompletableFuture<Optional<Boolean>> release(Hold ended) {
        Followup followup = new Followup(this, engine);
        step(followup, then -> {
            Moment now = engine.now();
            dropHoldIfOver(then, now);
            if (hold == ended) {
                hold = null;
                ended.end(LeaseState.RELEASED, "released");
                then.ended(ended);
                long early = ended.terms.holdAtLeast() - (now.nanos() - ended.since);
                if (early > 0) {
                    then.releaseLater(giveUpTenure(), early);
                } else {
                    serve(then, now, false);
                }
            }
            return true;
        });
        return followup.answer();
    }

    /** The lease is over against the holder's will. False if it had ended before. */
    boolean lose(Hold current, String reason) {
        return step(then -> {
            if (hold != current) {
                return false;
            }
            drop(then, current, reason);
            return true;
        });
    }

    /** Whose token it is, as far as this process can tell. */
    enum Whose {
        /** That of the present lease. */
        THAT_LEASE,
        /** Of the same block, but not that of the present lease: to revoke it would hit somebody else. */
        ANOTHER_LEASE,
        /** Nothing that this process has. */
        NOT_OURS
    }

    /**
     * Somebody is about to take the lease with this token away by force. From now on its tenure is not passed on, whatever
     * comes of it: a revocation whose outcome is unknown may be executed later.
     */
    Whose revoking(long token) {
        mutex.lock();
        try {
            Tenure current = tenure;
            Hold held = hold;
            if (current == null || !current.hasInBlock(token)) {
                return Whose.NOT_OURS;
            }
            if (held == null || held.token != token) {
                return Whose.ANOTHER_LEASE;
            }
            current.revoking = true;
            return Whose.THAT_LEASE;
        } finally {
            mutex.unlock();
        }
    }

    /** The store has taken it away. */
    void revoked(long token) {
        step(then -> {
            Hold held = hold;
            if (held != null && held.token == token) {
                drop(then, held, "it was released by force");
            }
            return true;
        });
    }

    /** One look of the Keeper. Returns when it should look again, on the monotonic clock, or {@link Keeper#NEVER}. */
    long tick(Moment now, List<Keeper.Due> due) {
        long[] next = {Keeper.NEVER};
        step(then -> {
            Tenure current = tenure;
            Hold held = hold;
            if (current != null && held == null && current.term().left(now) <= 0) {
                // A renewal that has not been answered may still have lengthened it.
                then.release(giveUpTenure());
            } else if (held != null && held.isForgotten()) {
                hold = null;
                held.end(LeaseState.RELEASED, "forgotten");
                then.forgotten(held);
                serve(then, now, false);
            } else if (held != null && held.left(now) <= 0) {
                drop(then, held, held.whyOver(now));
            } else if (current != null) {
                next[0] = held == null ? current.term().endNanos() : keep(held, now, due, then);
            }
            return true;
        });
        return next[0];
    }

    /** The answer to a regular renewal. */
    void renewed(Tenure renewed, Term granted, Renewal.Outcome outcome, @Nullable Throwable failure) {
        step(then -> {
            if (tenure != renewed) {
                return false;
            }
            renewed.renewing = false;
            Hold held = hold;
            switch (outcome) {
                case KEPT -> {
                    renewed.extend(granted);
                    renewed.failures = 0;
                    renewed.failing(false);
                }
                case GONE -> {
                    if (held != null) {
                        drop(then, held, "the store does not have it any more: it was revoked, or the store lost it");
                    } else {
                        giveUpTenure();
                    }
                }
                case UNKNOWN -> renewalFailed(renewed, failure, then);
            }
            return true;
        });
    }

    /** The answer to a renewal that was sent to pass the tenure on to a waiter with other terms. */
    void adjusted(Tenure renewed, Term granted, Renewal.Outcome outcome) {
        step(then -> {
            if (tenure != renewed) {
                // Given up before the answer came; if it was lengthened, nobody else will end it.
                if (outcome == Renewal.Outcome.KEPT) {
                    then.release(renewed);
                }
                return true;
            }
            renewed.adjusting = false;
            switch (outcome) {
                case KEPT -> {
                    renewed.extend(granted);
                    renewed.lease = Math.max(renewed.lease, granted.nanos());
                    renewed.failing(false);
                    serve(then, engine.now(), true);
                }
                case GONE -> giveUpTenure();
                case UNKNOWN -> then.release(giveUpTenure());
            }
            return true;
        });
    }

    /** The store has answered something, so what kept it from answering a bid is over. */
    void storeAnswered() {
        step(then -> {
            if (bid != null) {
                bid.failure = null;
            }
            return true;
        });
    }

    /** What kept the store from answering, if nothing has come from it since. */
    @Nullable
    Throwable outage() {
        mutex.lock();
        try {
            return bid == null ? null : bid.failure;
        } finally {
            mutex.unlock();
        }
    }

    private @Nullable Waiter head() {
        mutex.lock();
        try {
            return waiters.head();
        } finally {
            mutex.unlock();
        }
    }

    private boolean step(Predicate<Followup> change) {
        return step(new Followup(this, engine), change);
    }

    /** One step: changes something under the mutex, restores I3, and does the rest without it. */
    private boolean step(Followup then, Predicate<Followup> change) {
        boolean changed;
        mutex.lock();
        try {
            changed = change.test(then);
            if (changed) {
                settle(then);
            }
        } finally {
            mutex.unlock();
        }
        then.run();
        return changed;
    }

    // Everything below runs under the mutex.

    /** The answer took longer than the lease: asks anew, but not at once, or a slow store would be asked without end. */
    private void cameTooLate(Bid asked, Followup then) {
        then.release(giveUpTenure());
        Waiter head = waiters.head();
        if (head != null) {
            bid = new Bid(engine.claim(name, head), head);
            bid.failures = asked.failures + 1;
            bid.failure = new IllegalStateException("The store's answers take longer than the lease.");
            then.retry(bid);
        }
    }

    /** Gives the tenure to the first waiter, renews it for the first waiter, or gives it back. */
    private void serve(Followup then, Moment now, boolean fresh) {
        Tenure current = tenure;
        if (current == null) {
            return;
        }
        Waiter head = waiters.head();
        if (head == null) {
            then.release(giveUpTenure());
            return;
        }
        switch (fit(current, head, now, fresh)) {
            case NOW -> {
                boolean first = current.isFresh();
                waiters.remove(head);
                HeldLease lease = new HeldLease(engine);
                Hold next = new Hold(lease, this, current, head, now.nanos());
                lease.bind(next);
                hold = next;
                current.nextRenewal = engine.renewalAfter(current.term().from(), head.terms.lease());
                then.serve(head, lease, first ? LockEvent.Kind.ACQUIRED : LockEvent.Kind.HANDED_OVER);
            }
            case AFTER_RENEWAL -> {
                current.adjusting = true;
                then.adjust(current, head.terms.lease());
            }
            case NEVER -> then.release(giveUpTenure());
        }
    }

    private Tenure.Fit fit(Tenure current, Waiter head, Moment now, boolean fresh) {
        long left = current.term().left(now);
        if (left <= 0 || !current.hasTokens() || current.revoking || engine.isClosing()) {
            return Tenure.Fit.NEVER;
        }
        if (fresh) {
            return current.fitsFresh(head.terms);
        }
        return now.nanos() - current.sliceEnd < 0 ? current.fits(head.terms, left) : Tenure.Fit.NEVER;
    }

    /** The regular case of a tick: warn, renew, say when to look again. */
    private long keep(Hold held, Moment now, List<Keeper.Due> due, Followup then) {
        Tenure current = held.tenure;
        long next = held.endNanos();
        long warnAt = held.since + engine.warnAfter();
        if (!held.warned) {
            if (now.nanos() - warnAt >= 0) {
                held.warned = true;
                then.heldTooLong(held);
            } else if (warnAt - next < 0) {
                next = warnAt;
            }
        }
        if (held.terms.renewed() && !held.reachesMaxHold()) {
            if (now.nanos() + held.terms.lease() / 20 - current.nextRenewal >= 0) {
                if (current.renewing) {
                    renewalFailed(current, null, then);
                }
                current.renewing = true;
                current.nextRenewal = engine.renewalAfter(now, held.terms.lease());
                due.add(new Keeper.Due(this, current, held.renewalLength(now)));
            }
            if (current.nextRenewal - next < 0) {
                next = current.nextRenewal;
            }
        }
        return next;
    }

    private void renewalFailed(Tenure failed, @Nullable Throwable failure, Followup then) {
        failed.failures++;
        boolean news = !failed.failing();
        failed.failing(true);
        Hold held = hold;
        if (held != null) {
            failed.nextRenewal = engine.nanos() + engine.backoff(failed.failures, held.terms.lease() / 6);
            then.renewalFailed(held, failure, news);
        }
    }

    private void dropHoldIfOver(Followup then, Moment now) {
        Hold held = hold;
        if (held != null && held.left(now) <= 0) {
            drop(then, held, held.whyOver(now));
        }
    }

    private void drop(Followup then, Hold held, String reason) {
        hold = null;
        tenure = null;
        held.end(LeaseState.LOST, reason);
        then.lost(held);
    }

    private Tenure giveUpTenure() {
        Tenure given = Objects.requireNonNull(tenure);
        tenure = null;
        return given;
    }

    private void withdrawIfNobodyWaits(Followup then) {
        Bid asked = bid;
        if (asked != null && waiters.isEmpty()) {
            bid = null;
            asked.withdrawn = true;
            then.release(asked.claim);
        }
    }

    /** The end of every step: I3, and nothing left behind. */
    private void settle(Followup then) {
        if (tenure == null && bid == null) {
            Waiter head = waiters.head();
            if (head != null) {
                // While closing, everybody is about to be sent away.
                if (!engine.isClosing()) {
                    bid = new Bid(engine.claim(name, head), head);
                    then.launch(bid);
                }
            } else if (!retired) {
                retired = true;
                engine.remove(this);
            }
        }
    }
}
