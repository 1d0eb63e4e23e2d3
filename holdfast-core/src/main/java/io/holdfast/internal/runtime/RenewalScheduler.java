package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.DueRenewal;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LeaseDeadline;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.RenewalPolicy;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends renewals when {@link RenewalPolicy} says that they are due: one timer for all leases, renewals in batches. The same timer
 * finds leases that have expired.
 */
final class RenewalScheduler {

    private static final long NEVER = RenewalPolicy.NEVER;

    /**
     * Large enough to save round trips, small enough not to keep a store, or this thread, from other work. A batch is answered as a
     * whole, so one unresponsive connection concerns no more leases than these.
     */
    private static final int BATCH = 100;

    /** After a scan that failed. */
    private static final long RETRY_SCAN = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Comparator<DueRenewal> BY_TIME_LEFT = Comparator.comparingLong(DueRenewal::left);

    /*
     * There is one timer, for the earliest thing that any lease needs. When it fires, all queues are checked; the leases whose
     * renewal is due, or nearly so, go into one batch. Acquiring a lock costs no more than a comparison here, because the
     * timer mostly is early enough already, and releasing one costs nothing.
     *
     * No lease is overlooked: a lease is in its queue before `checkAt` compares, and the timer's time is reset before the
     * queues are checked. So either the comparison sees a timer that is still to fire, and that check sees the lease; or it
     * sees none, and sets one.
     */
    private final Engine engine;
    private final StoreClient store;
    private final LocalQueues queues;
    private final RenewalPolicy policy;
    private final RateLimitedLog bugs;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile long timerAt = NEVER;
    private Scheduler.@Nullable Task timer;

    RenewalScheduler(Engine engine, StoreClient store, LocalQueues queues, RenewalPolicy policy) {
        this.engine = engine;
        this.store = store;
        this.queues = queues;
        this.policy = policy;
        this.bugs = engine.rateLimitedLog();
    }

    /** Checks the leases at {@code nanos}, on the monotonic clock, or before. */
    void checkAt(long nanos) {
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
            return engine.schedule(this::check, nanos - engine.nanos());
        } catch (RuntimeException | Error refused) {
            timerAt = earlier;
            throw refused;
        }
    }

    /** Cancels the timer. */
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

    private void check() {
        fired();
        try {
            scan();
        } catch (RuntimeException | Error bug) {
            // Leases must not be lost unnoticed: scan again, and let the scheduler log it.
            checkAt(engine.nanos() + RETRY_SCAN);
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
        List<DueRenewal> due = new ArrayList<>();
        long next = NEVER;
        for (LocalQueue queue : queues.all()) {
            long wanted = check(queue, now, due);
            if (wanted != NEVER && (next == NEVER || wanted - next < 0)) {
                next = wanted;
            }
        }
        if (next != NEVER) {
            checkAt(next);
        }
        due.sort(BY_TIME_LEFT);
        renew(due);
    }

    /** A queue whose check fails must not keep the others from being checked; it is checked again soon. */
    private long check(LocalQueue queue, Moment now, List<DueRenewal> due) {
        try {
            return queue.checkLeases(now, due);
        } catch (RuntimeException | Error bug) {
            bugs.log(
                    Level.ERROR,
                    bug,
                    () -> "A bug in Holdfast: the check of the leases of '" + queue.name() + "' failed.");
            return now.nanos() + TimeUnit.SECONDS.toNanos(1);
        }
    }

    /** Sends a batch, those with the least time left first; the rest follows when other tasks have had their turn. */
    void renew(List<DueRenewal> due) {
        if (due.isEmpty()) {
            return;
        }
        List<DueRenewal> batch = new ArrayList<>(due.subList(0, Math.min(BATCH, due.size())));
        // What was released since the scan must not be renewed: its lease may have been shortened.
        batch.removeIf(each -> !each.queue().isRenewalNeeded(each.held()));
        if (!batch.isEmpty()) {
            send(batch, engine.now());
        }
        if (due.size() > BATCH) {
            engine.schedule(() -> renew(due.subList(BATCH, due.size())), 0);
        }
    }

    private void send(List<DueRenewal> due, Moment sent) {
        List<RenewalRequest> requests = new ArrayList<>(due.size());
        for (DueRenewal each : due) {
            requests.add(each.request());
        }
        Futures.whenDone(send(requests), (outcomes, failure) -> {
            report(outcomes, failure);
            policy.measured(engine.nanos() - sent.nanos());
            for (int i = 0; i < due.size(); i++) {
                DueRenewal each = due.get(i);
                LeaseDeadline granted =
                        new LeaseDeadline(sent, each.request().lease().toNanos());
                each.queue().renewed(each, granted, outcome(outcomes, i), failure);
            }
        });
    }

    /** Renews a grant that has no lease, for a waiter who needs more of it than is left. */
    void renewForWaiter(LocalQueue queue, HeldGrant held, RenewalRequest renewal) {
        LeaseDeadline granted = new LeaseDeadline(engine.now(), renewal.lease().toNanos());
        checkAt(held.deadline().endNanos());
        Futures.whenDone(send(List.of(renewal)), (outcomes, failure) -> {
            report(outcomes, failure);
            queue.renewedForWaiter(held, renewal, granted, outcome(outcomes, 0));
        });
    }

    private void report(@Nullable List<RenewalRequest.Outcome> outcomes, @Nullable Throwable failure) {
        if (failure != null) {
            store.health().failed(failure);
        } else if (outcomes != null && outcomes.stream().anyMatch(each -> each != RenewalRequest.Outcome.UNKNOWN)) {
            store.health().answered();
        }
    }

    private CompletableFuture<List<RenewalRequest.Outcome>> send(List<RenewalRequest> requests) {
        return store.call(target -> target.renew(requests));
    }

    /** If the store fails, or answers fewer requests than were sent, the outcome is unknown. */
    private static RenewalRequest.Outcome outcome(@Nullable List<RenewalRequest.Outcome> outcomes, int i) {
        return outcomes == null || i >= outcomes.size() ? RenewalRequest.Outcome.UNKNOWN : outcomes.get(i);
    }
}
