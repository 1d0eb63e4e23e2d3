package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Keeps leases alive: one timer for all of them, renewals in batches, and a word for every lease that is over. */
final class Keeper {

    /** No look is needed. */
    static final long NEVER = Long.MIN_VALUE;

    /**
     * Large enough to save round trips, small enough not to keep a store, or this thread, from other things. A batch is answered as a
     * whole, so one connection that does not answer concerns no more leases than these.
     */
    private static final int BATCH = 100;

    /** After a scan that failed. */
    private static final long RETRY_SCAN = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Comparator<Due> BY_TIME_LEFT = Comparator.comparingLong(Due::left);

    /*
     * There is one timer, for the earliest thing that any lease needs. When it fires, all lines are looked at; those whose
     * renewal is due, or nearly so, go into one batch. Taking a lock costs no more than a comparison here, because the
     * timer mostly is early enough already, and giving one back costs nothing.
     *
     * No lease is overlooked: a hold is in its line before `lookAt` compares, and the timer's time is reset before the
     * lines are looked at. So either the comparison sees a timer that is still to fire, and that look sees the hold; or it
     * sees none, and sets one.
     */
    private final Engine engine;
    private final RateLimitedLog bugs;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile long timerAt = NEVER;

    /** The longest time that renewals took to be answered lately. */
    private volatile long latency;

    private Scheduler.@Nullable Task timer;

    /**
     * A renewal that has to be sent.
     *
     * @param left the time to the deadline at the moment of the scan: answers move the deadline while renewals are sorted
     */
    record Due(Line line, Tenure tenure, RenewalRequest renewal, long left) {}

    Keeper(Engine engine, Ticker ticker) {
        this.engine = engine;
        this.bugs = new RateLimitedLog(ticker);
    }

    /** Makes sure of a look at {@code nanos}, on the monotonic clock, or before. */
    void lookAt(long nanos) {
        long at = timerAt;
        if (at != NEVER && at - nanos <= 0) {
            return;
        }
        mutex.lock();
        try {
            at = timerAt;
            if (at != NEVER && at - nanos <= 0) {
                return;
            }
            Scheduler.Task later = timer;
            // Before it is set: it may fire at once.
            timerAt = nanos == NEVER ? nanos + 1 : nanos;
            timer = set(nanos, at);
            if (later != null) {
                later.cancel();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** If the scheduler refuses, as without a thread, the earlier timer stays, and the next call tries again. */
    private Scheduler.Task set(long nanos, long earlier) {
        try {
            return engine.schedule(this::look, nanos - engine.nanos());
        } catch (RuntimeException | Error refused) {
            timerAt = earlier;
            throw refused;
        }
    }

    /** When a term that began at {@code from} should be renewed. */
    long renewalAfter(Moment from, long length) {
        return from.nanos() + engine.jittered(Math.min(length / 3, inTime(length)));
    }

    /** Without jitter, which costs as much as the rest: first renewals that are due at the same time go in one batch. */
    long firstRenewalAfter(Moment from, long length) {
        return from.nanos() + Math.min(length / 10 * 3, inTime(length));
    }

    /**
     * The latest time of a renewal whose answer comes a tenth of the term before its deadline. It counts only where answers take
     * more than half of a lease: to renew more often than every third would be to overload a store that is slow because it has
     * too much to do, and to lose leases that would have survived. Not less than a sixth, for the same reason.
     */
    private long inTime(long length) {
        return Math.max(length / 6, length - length / 10 - latency);
    }

    /** Lets go of the timer. */
    void stop() {
        mutex.lock();
        try {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        } finally {
            mutex.unlock();
        }
    }

    private void look() {
        fired();
        try {
            scan();
        } catch (RuntimeException | Error bug) {
            // Leases must not be lost in silence: scan again, and let the scheduler log it.
            lookAt(engine.nanos() + RETRY_SCAN);
            throw bug;
        }
    }

    private void fired() {
        mutex.lock();
        try {
            timerAt = NEVER;
        } finally {
            mutex.unlock();
        }
    }

    private void scan() {
        Moment now = engine.now();
        List<Due> due = new ArrayList<>();
        long next = NEVER;
        for (Line line : engine.lines()) {
            long wanted = tick(line, now, due);
            if (wanted != NEVER && (next == NEVER || wanted - next < 0)) {
                next = wanted;
            }
        }
        if (next != NEVER) {
            lookAt(next);
        }
        due.sort(BY_TIME_LEFT);
        renew(due);
    }

    /** One line that fails must not keep the others from being looked at; it is looked at again soon. */
    private long tick(Line line, Moment now, List<Due> due) {
        try {
            return line.tick(now, due);
        } catch (RuntimeException | Error bug) {
            bugs.log(
                    Level.ERROR,
                    bug,
                    () -> "A bug in Holdfast: the check of the leases of '" + line.name() + "' failed.");
            return now.nanos() + TimeUnit.SECONDS.toNanos(1);
        }
    }

    /** Sends a batch, those with the least time left first; the rest follows when others have had their turn. */
    void renew(List<Due> due) {
        if (due.isEmpty()) {
            return;
        }
        List<Due> batch = new ArrayList<>(due.subList(0, Math.min(BATCH, due.size())));
        // What was released since the scan must not be renewed: its lease may have been shortened.
        batch.removeIf(each -> !each.line.isRenewalNeeded(each.tenure));
        if (!batch.isEmpty()) {
            send(batch, engine.now());
        }
        if (due.size() > BATCH) {
            engine.schedule(() -> renew(due.subList(BATCH, due.size())), 0);
        }
    }

    private void send(List<Due> due, Moment sent) {
        List<RenewalRequest> renewals = new ArrayList<>(due.size());
        for (Due each : due) {
            renewals.add(each.renewal);
        }
        Futures.whenDone(send(renewals), (outcomes, failure) -> {
            report(outcomes, failure);
            measured(engine.nanos() - sent.nanos());
            for (int i = 0; i < due.size(); i++) {
                Due each = due.get(i);
                Term term = new Term(sent, each.renewal.lease().toNanos());
                each.line.renewed(each.tenure, each.renewal, term, outcome(outcomes, i), failure);
            }
        });
    }

    /** The longest counts, and is forgotten by an eighth with each answer. Writers may race: it is an estimate. */
    private void measured(long nanos) {
        long present = latency;
        latency = Math.max(nanos, present - present / 8);
    }

    /** Renews a tenure that has no hold, for a waiter who needs more of it than is left. */
    void adjust(Line line, Tenure tenure, RenewalRequest renewal) {
        Term term = new Term(engine.now(), renewal.lease().toNanos());
        lookAt(tenure.term().endNanos());
        Futures.whenDone(send(List.of(renewal)), (outcomes, failure) -> {
            report(outcomes, failure);
            line.adjusted(tenure, renewal, term, outcome(outcomes, 0));
        });
    }

    private void report(@Nullable List<RenewalRequest.Outcome> outcomes, @Nullable Throwable failure) {
        if (failure != null) {
            engine.health().failed(failure);
        } else if (outcomes != null && outcomes.stream().anyMatch(each -> each != RenewalRequest.Outcome.UNKNOWN)) {
            engine.health().answered();
        }
    }

    private CompletableFuture<List<RenewalRequest.Outcome>> send(List<RenewalRequest> renewals) {
        return engine.callStore(store -> store.renew(renewals));
    }

    /** A store that fails, or answers less than it was asked, has said nothing. */
    private static RenewalRequest.Outcome outcome(@Nullable List<RenewalRequest.Outcome> outcomes, int i) {
        return outcomes == null || i >= outcomes.size() ? RenewalRequest.Outcome.UNKNOWN : outcomes.get(i);
    }
}
