package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.RenewalRequest.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The queue of this process for one name, and the grants that it may have. Lives while it has either. */
final class Line {

    /*
     * Invariants, all under the mutex:
     *
     *   I1  At most one claim of this process waits in the store, however many waiters there are, and it is for as much as
     *       the first of them wants. None waits while this process has, or is trying for, all there is: what it would wait
     *       for is at hand.
     *   I2  A tenure has at most one hold, except that readers share one. A hold is on a tenure of its line, so what all
     *       holds have together is at most what the store has granted.
     *   I3  If somebody waits, a claim waits in the store, or there is a tenure or an attempt for all there is, which will
     *       be released, lost or answered. `settle` restores this at the end of every step, so nobody waits for nothing.
     *   I4  A tenure leaves in exactly one way: given back to the store, or lost. A grant that arrives for nobody is given
     *       back. So no grant is dropped and none is used twice.
     *   I5  Nobody overtakes: waiters are served from the head only, a newcomer shares a reader's tenure only when nobody
     *       waits, and a single attempt is decided by the store, which refuses it while others wait there.
     *
     * Mutual exclusion: two holds of one tenure follow each other, because the next is made after the former has left HELD
     * (I2), with a larger token of the same block; or they are readers. Holds of different tenures are kept apart by the
     * store, as long as each ends, in the holder's view, before the store's lease does; `Term` sees to that, and every
     * local pass looks at it again. A tenure with a lost hold is not released to the store before that hold is closed,
     * because its body may still be running (`ghosts`): the store keeps the others out until the lease is over there too.
     *
     * No starvation: a tenure is passed on, or shared by newcomers, for one slice and one block of tokens at most; then
     * the store, which serves its queue in order, has it back.
     *
     * The store, the user's code and the waiters are called without the mutex, from `Followup`.
     */
    private final Engine engine;
    private final String name;
    private final int capacity;
    private final Mutex mutex = new Mutex();
    private final WaiterQueue waiters = new WaiterQueue();
    private final Bids bids;
    private final Tenures tenures;
    private @Nullable HolderSight sight;
    private boolean retired;

    Line(Engine engine, String name, int capacity) {
        this.engine = engine;
        this.name = name;
        this.capacity = capacity;
        this.bids = new Bids(engine);
        this.tenures = new Tenures(engine, this, waiters);
    }

    String name() {
        return name;
    }

    /** Who holds the name, for messages. */
    HolderSight sight() {
        return locked(() -> {
            if (sight == null) {
                sight = new HolderSight(engine, this);
            }
            return sight;
        });
    }

    /** The first lease of this process that {@code wanted} accepts. */
    @Nullable
    Hold find(Predicate<Hold> wanted) {
        return locked(() -> tenures.find(wanted));
    }

    /** Lines up. False if this line has been taken down meanwhile: use a new one. */
    boolean join(Waiter waiter) {
        Followup then = new Followup(this, engine);
        mutex.lock();
        try {
            if (retired) {
                return false;
            }
            enter(waiter, then);
            settle(then);
        } finally {
            mutex.unlock();
        }
        then.run();
        return true;
    }

    /** Gives up waiting. False if the waiter has been served or refused meanwhile. */
    boolean leave(Waiter waiter) {
        return step(then -> {
            Bid attempt = waiter.attempt;
            if (attempt == null) {
                return waiters.remove(waiter);
            }
            bids.withdrawAttempt(attempt, then);
            return true;
        });
    }

    /** Sends everybody away, because of {@code close()}. Leases stay. */
    void dismiss() {
        Waiter waiter = anybody();
        while (waiter != null) {
            if (leave(waiter)) {
                waiter.refused(engine.failures().closed(name));
            }
            waiter = anybody();
        }
    }

    /** The store's answer to a bid: a grant, a failure, or neither for "taken". Returns the bid that is to be sent now. */
    @Nullable
    Bid answered(Bid asked, @Nullable Grant grant, @Nullable Throwable failure) {
        Followup then = new Followup(this, engine);
        mutex.lock();
        try {
            if (asked.withdrawn) {
                // Released at the store already; a grant shows that the two may have crossed.
                if (grant != null) {
                    then.release(asked.claim);
                }
            } else if (asked.claim.mode() == Claim.Mode.TRY) {
                bids.attempted(asked);
                answeredAttempt(asked, grant, failure, then);
            } else if (grant != null) {
                bids.waited();
                granted(asked, grant, then);
            } else {
                failed(asked, failure, then);
            }
            settle(then);
        } finally {
            mutex.unlock();
        }
        Bid next = then.takeLaunch();
        then.run();
        return next;
    }

    /**
     * The holder, who has closed it, gives its lease back.
     *
     * @return what the store said, if it was asked: empty for "unknown"; null if the lease was over before
     */
    @Nullable
    CompletableFuture<Optional<Boolean>> release(Hold ended) {
        Followup then = new Followup(this, engine);
        Moment now = engine.now();
        mutex.lock();
        try {
            tenures.dropIfOver(ended, now, then);
            Tenure its = ended.tenure;
            if (ended.recorded() == LeaseState.HELD) {
                tenures.end(ended, "released");
                then.ended(ended);
                tenures.vacated(its, then, now);
            } else if (ended.recorded() == LeaseState.LOST) {
                its.ghosts--;
                if (its.ghosts == 0 && !its.current) {
                    // The last body has ended, so the store need not wait for the lease to run out.
                    tenures.giveBack(its, then, now);
                }
                then.lateEnd();
            }
            settle(then);
        } finally {
            mutex.unlock();
        }
        then.run();
        return then.answer();
    }

    /** The lease is over against the holder's will. False if it had ended before. */
    boolean lose(Hold lost, String reason) {
        return step(then -> {
            if (lost.recorded() != LeaseState.HELD) {
                return false;
            }
            tenures.drop(lost, engine.now(), reason, then);
            return true;
        });
    }

    /** A writer becomes a reader, and no other writer comes in between. */
    void downgrade(Hold writer) {
        step(then -> {
            Tenure its = writer.tenure;
            if (writer.recorded() != LeaseState.HELD || !its.isWhole()) {
                return false;
            }
            Moment now = engine.now();
            writer.read = true;
            tenures.shrinkToReader(its);
            tenures.admitReaders(its, then, now);
            // The store hears of it by a renewal, which is due now.
            its.renewing = false;
            its.nextRenewal = now.nanos();
            then.lookAt(now.nanos());
            return true;
        });
    }

    /**
     * Somebody is about to take the lease with this token away by force. From now on its tenure is not passed on, whatever
     * comes of it: a revocation whose outcome is unknown may be executed later.
     */
    Tenures.Whose revoking(long token) {
        return locked(() -> tenures.revoking(token));
    }

    /** The store has taken it away. */
    void revoked(long token) {
        step(then -> {
            Tenure its = tenures.of(token);
            if (its != null && its.isUsedWith(token)) {
                tenures.dropAll(its, "it was released by force", then);
            }
            return true;
        });
    }

    /** Of the block that {@code token} is in: the token in use and how many follow; null if none is in use here. */
    TokenClock.@Nullable Block tokensInUse(long token) {
        return locked(() -> tenures.inUse(token));
    }

    /** One look of the Keeper. Returns when it should look again, on the monotonic clock, or {@link Keeper#NEVER}. */
    long tick(Moment now, List<Keeper.Due> due) {
        long[] next = {Keeper.NEVER};
        step(then -> {
            Tenure following;
            for (Tenure tenure = tenures.latest(); tenure != null; tenure = following) {
                following = tenure.after;
                long wanted = Upkeep.look(engine, this, tenures, tenure, now, due, then);
                if (wanted != Keeper.NEVER && (next[0] == Keeper.NEVER || wanted - next[0] < 0)) {
                    next[0] = wanted;
                }
            }
            return true;
        });
        return next[0];
    }

    /** Renews a tenure that began with a short grant, if it is still in use and no renewal was sent yet. */
    void confirm(Tenure begun, Moment now, List<Keeper.Due> due) {
        step(then -> {
            if (!begun.current || begun.holds == null || begun.renewing || begun.isConfirmed()) {
                return false;
            }
            begun.nextRenewal = now.nanos();
            then.lookAt(Upkeep.keep(engine, this, begun, now, due, then));
            return true;
        });
    }

    /** Is a renewal that is due still needed? If not, it counts as answered. */
    boolean isRenewalNeeded(Tenure due) {
        return locked(() -> due.current)
                || !step(then -> {
                    Upkeep.renewalEnded(due, then);
                    return true;
                });
    }

    /** The answer to a renewal of a tenure that is in use. */
    void renewed(Tenure renewed, RenewalRequest sent, Term granted, Outcome outcome, @Nullable Throwable failure) {
        step(then -> {
            Upkeep.renewalEnded(renewed, then);
            if (!renewed.current) {
                return false;
            }
            renewed.renewing = false;
            switch (outcome) {
                case KEPT -> Upkeep.renewed(engine, renewed, sent, granted);
                case GONE -> gone(renewed, then);
                case UNKNOWN -> Upkeep.renewalFailed(engine, renewed, failure, then);
            }
            return true;
        });
    }

    /** The answer to a renewal that was sent to pass the tenure on to a waiter with other terms. */
    void adjusted(Tenure renewed, RenewalRequest sent, Term granted, Outcome outcome) {
        step(then -> {
            if (!renewed.current) {
                // Given up before the answer came; if it was lengthened, nobody else will end it.
                if (outcome == Outcome.KEPT) {
                    then.release(renewed);
                }
                return true;
            }
            switch (outcome) {
                case KEPT -> {
                    renewed.kept(sent, granted);
                    renewed.lease = Math.max(renewed.lease, granted.nanos());
                    tenures.begun(renewed, then, engine.now());
                }
                case GONE -> gone(renewed, then);
                case UNKNOWN -> then.release(tenures.remove(renewed));
            }
            return true;
        });
    }

    /** The store has answered something, so what kept it from answering a bid is over. */
    void storeAnswered() {
        step(then -> {
            bids.outageOver();
            return false;
        });
    }

    /**
     * What kept the store from answering, if nothing has come from it since. Where nobody is known to hold the name, a request that
     * failed just now is the reason, too: a database that is read-only answers questions.
     */
    @Nullable
    Throwable outage() {
        return locked(() -> {
            Throwable present = bids.outage();
            boolean heldByOthers = !tenures.isEmpty() || (sight != null && sight.knowsHolder());
            return present != null || heldByOthers ? present : bids.recentFailure();
        });
    }

    private @Nullable Waiter anybody() {
        return locked(() -> waiters.isEmpty() ? bids.anyAttempt() : waiters.head());
    }

    private <T extends @Nullable Object> T locked(Supplier<T> look) {
        mutex.lock();
        try {
            return look.get();
        } finally {
            mutex.unlock();
        }
    }

    /** One step: changes something under the mutex, restores I1 and I3, and does the rest without it. */
    private boolean step(Predicate<Followup> change) {
        Followup then = new Followup(this, engine);
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

    private void enter(Waiter waiter, Followup then) {
        Share share = waiter.wish.share();
        if (engine.isClosing()) {
            then.refuse(waiter, engine.failures().closed(name));
            return;
        }
        if (share.capacity() != capacity) {
            then.refuse(waiter, engine.failures().anotherSize(name, share, capacity));
            return;
        }
        Tenure latest = tenures.latest();
        if (latest != null && latest.holds != null) {
            Moment now = engine.now(waiter.joined);
            if (share.isRead() && waiters.isEmpty() && latest.admits(waiter.wish.terms(), now)) {
                tenures.attach(waiter, latest, then, now);
                return;
            }
            tenures.dropIfOver(latest.holds, now, then);
        }
        boolean taken = tenures.hasWhole();
        boolean others = taken || !waiters.isEmpty() || bids.hasWaiting() || bids.triesWhole();
        Tenure direct = others ? null : tenures.addDirectly(waiter, waiter.joined);
        if (direct != null) {
            tenures.attach(waiter, direct, then, direct.term().from());
            return;
        }
        boolean behindOthers = share.isWhole() ? others || !tenures.isEmpty() : taken || !waiters.isEmpty();
        if (waiter.mode == Claim.Mode.WAIT) {
            waiter.nextHere = waiters.isEmpty() && !tenures.isEmpty();
            waiters.add(waiter);
            if (behindOthers) {
                then.waits(waiter);
            }
        } else if (taken || bids.outage() != null || (share.isWhole() && behindOthers)) {
            // While the claim of those who wait is being sent again, the store does not know of them.
            then.refuse(waiter, null);
        } else {
            bids.attempt(waiter, then);
        }
    }

    private void granted(Bid asked, Grant grant, Followup then) {
        Tenure fresh = tenures.add(asked.claim, grant);
        Moment now = engine.now();
        if (fresh.term().left(now) > 0) {
            tenures.begun(fresh, then, now);
            return;
        }
        then.release(tenures.remove(fresh));
        Waiter head = waiters.head();
        if (head != null) {
            bids.anew(asked, head, then);
        }
    }

    private void answeredAttempt(Bid asked, @Nullable Grant grant, @Nullable Throwable failure, Followup then) {
        if (grant == null) {
            if (failure != null) {
                then.release(asked.claim);
            }
            then.refuse(asked.waiter, failure == null ? null : engine.failures().noAnswer(name, failure));
            return;
        }
        Tenure fresh = tenures.add(asked.claim, grant);
        Moment now = engine.now();
        if (engine.isClosing()) {
            then.release(tenures.remove(fresh));
            then.refuse(asked.waiter, engine.failures().closed(name));
        } else if (fresh.term().left(now) <= 0) {
            then.release(tenures.remove(fresh));
            then.refuse(
                    asked.waiter,
                    engine.failures()
                            .noAnswer(name, new IllegalStateException("the answer took longer than the lease")));
        } else {
            tenures.attach(asked.waiter, fresh, then, now);
        }
    }

    /** The claim that waits has failed: it is sent again, unless the store has refused it. */
    private void failed(Bid asked, @Nullable Throwable failure, Followup then) {
        Throwable cause = failure != null
                ? Futures.unwrapped(failure)
                : new IllegalStateException("The store sent the claim away.");
        if (cause instanceof RefusedException) {
            bids.waited();
            Waiter head = waiters.head();
            if (head != null) {
                waiters.remove(head);
                then.refuse(head, engine.failures().noAnswer(name, cause));
            }
        } else {
            bids.again(asked, cause, then);
        }
    }

    private void gone(Tenure tenure, Followup then) {
        if (tenure.holds == null) {
            tenures.remove(tenure);
        } else {
            tenures.dropAll(tenure, "the store does not have it any more: it was revoked, or the store lost it", then);
        }
    }

    private boolean mayAsk() {
        return !bids.hasWaiting() && !tenures.hasWhole() && !bids.triesWhole() && !engine.isClosing();
    }

    /** The end of every step: I1, I3, and nothing left behind. */
    private void settle(Followup then) {
        Waiter head = waiters.head();
        bids.withdrawUnlessFor(head, then);
        if (head != null) {
            // While closing, everybody is about to be sent away.
            Tenure direct = mayAsk() ? tenures.addDirectly(head, engine.nanos()) : null;
            while (direct != null) {
                tenures.begun(direct, then, direct.term().from());
                head = waiters.head();
                direct = head != null && mayAsk() ? tenures.addDirectly(head, engine.nanos()) : null;
            }
            if (head != null && mayAsk()) {
                bids.waitFor(head, then);
            }
        } else if (tenures.isEmpty() && bids.isEmpty() && !retired) {
            retired = true;
            engine.remove(this);
        }
    }
}
