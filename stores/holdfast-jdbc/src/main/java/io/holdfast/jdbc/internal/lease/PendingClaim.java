package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A claim that waits for a name in a lease table: polls now and then, and may be granted by a notification in between. */
final class PendingClaim {

    /*
     * At most one request is under way at a time. A notification that comes meanwhile makes the next one follow at once, because the
     * request may have been executed before the name became free. `requesting` and `requestAgain` change only under the mutex, and the
     * thread that clears `requesting` checks `requestAgain` in the same step; so no notification is lost. The wait is over as soon as
     * `answer` is complete: with a grant, or with a failure if the claim was withdrawn.
     *
     * When a lease that was handed over begins. The database made it when its clock showed G. A request of ours that was sent at t0
     * was executed when the same clock showed d0, so not before t0. Hence the lease began at t0 + (G - d0) or later, and counting from
     * there is safe. It is never counted from later than the arrival of the notification, which bounds the error if the clock of
     * the database was set forward in between; and from a request of the last ten seconds only, else the claim sends a request. After
     * the connection was lost, the clock may be that of another server: then the claim sends a request, and counts from that.
     */
    private static final long MAX_READING_AGE = TimeUnit.SECONDS.toNanos(10);

    /** No token. */
    private static final long NOT_RESERVED = -1;

    private final LeaseTableStore table;
    private final Environment environment;
    private final Claim claim;
    private final long since;
    private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean requesting;
    private boolean requestAgain;
    private Scheduler.@Nullable Task timer;

    /** The last request that was answered; null if the database may be another one since. */
    private volatile @Nullable ClockReading reading;

    /** Changed by the thread that executes requests for the name. */
    private volatile boolean granted;

    /** The token of the holder when it put itself into the row as the next. */
    private volatile long reservedBehind = NOT_RESERVED;

    private volatile long reservedAt;

    /** A request that was answered: when it was sent, and what the clock of the database showed when it was executed. */
    private record ClockReading(Moment sent, long micros) {}

    PendingClaim(LeaseTableStore table, Environment environment, Claim claim) {
        this.table = table;
        this.environment = environment;
        this.claim = claim;
        this.since = environment.ticker().nanos();
        var unused = answer.whenComplete((grant, failure) -> finish());
    }

    Claim claim() {
        return claim;
    }

    CompletableFuture<Optional<Grant>> answer() {
        return answer;
    }

    long waitedNanos() {
        return environment.ticker().nanos() - since;
    }

    /** Tries to acquire the name now, or as soon as the request that is under way was answered. */
    void request() {
        start(LeaseTableStore.Step.ACQUIRE);
    }

    /** Checks whether the name is free; several claims do that together. */
    void poll() {
        start(LeaseTableStore.Step.CHECK);
    }

    private void start(LeaseTableStore.Step step) {
        mutex.lock();
        try {
            if (isDone()) {
                return;
            }
            if (requesting) {
                requestAgain = requestAgain || step == LeaseTableStore.Step.ACQUIRE;
                return;
            }
            requesting = true;
            requestAgain = false;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        var unused = table.attempt(this, step).whenComplete(this::answered);
    }

    private void answered(@Nullable Attempt attempt, @Nullable Throwable failure) {
        if (attempt instanceof Attempt.Granted yes) {
            if (!answer.complete(Optional.of(yes.grant())) && answer.isCompletedExceptionally()) {
                // Released while this request was under way, and the request may have come second.
                var unused = table.release(claim);
            }
        } else if (attempt instanceof Attempt.Busy busy) {
            scheduleNext(busy.retryAfter());
        } else {
            withdraw(failure != null ? failure : new IllegalStateException("The store answered nothing."));
        }
    }

    private void scheduleNext(Duration retryAfter) {
        boolean again;
        mutex.lock();
        try {
            requesting = false;
            again = requestAgain;
            if (!again && !isDone()) {
                timer = environment.scheduler().schedule(this::poll, Math.max(1, retryAfter.toNanos()));
            }
        } finally {
            mutex.unlock();
        }
        if (again) {
            request();
        }
    }

    /** A notification says that the name belongs to the claim. */
    void handedOver(NotificationMessage.Granted handed, Moment received) {
        ClockReading latest = reading;
        // In a long time, the clock of the database may have been set, or have run at another rate.
        if (latest == null
                || handed.grantedAt() < latest.micros
                || latest.sent.nanosUntil(received) > MAX_READING_AGE) {
            request();
            return;
        }
        granted = true;
        Moment from = latest.sent.plusNanos(TimeUnit.MICROSECONDS.toNanos(handed.grantedAt() - latest.micros));
        answer.complete(Optional.of(Claims.grant(
                claim,
                handed.firstToken(),
                handed.lastToken(),
                earlier(from, received),
                handed.endsAt() - handed.grantedAt())));
    }

    /** On each clock by itself: while the machine slept, one of them stood still. */
    private static Moment earlier(Moment one, Moment other) {
        return new Moment(
                one.nanos() - other.nanos() < 0 ? one.nanos() : other.nanos(),
                Math.min(one.wallMicros(), other.wallMicros()));
    }

    /** A request was answered, by a statement that writes. */
    void answeredAt(Moment sent, LeaseRow row) {
        reading = new ClockReading(sent, row.now);
    }

    /** The database may be another one from now on. */
    void forgetServerClock() {
        reading = null;
    }

    /** The request was executed, and the name belongs to the claim. */
    void markGranted() {
        granted = true;
    }

    /** Whether a request of it was executed, and the name belongs to it. */
    boolean wasGranted() {
        return granted;
    }

    /** Whether it may have put itself into the row as the next. */
    boolean hasReserved() {
        return reservedBehind != NOT_RESERVED;
    }

    /** Whether it shall put itself into the row as the next: once, and again if the name was granted to another claim since. */
    boolean isReservationDue(LeaseRow row) {
        return row.firstToken != reservedBehind;
    }

    /** It tries to put itself into the row as the next. */
    void markReserved(LeaseRow row) {
        reservedBehind = row.firstToken;
        reservedAt = environment.ticker().nanos();
    }

    /** Since it put itself into the row as the next, or since it came. */
    long sinceReservedNanos() {
        return reservedBehind == NOT_RESERVED
                ? waitedNanos()
                : environment.ticker().nanos() - reservedAt;
    }

    /** Whether it does not wait any more. */
    boolean isDone() {
        return answer.isDone();
    }

    /** False if the wait was over before. */
    boolean withdraw(Throwable reason) {
        return answer.completeExceptionally(reason);
    }

    private void finish() {
        mutex.lock();
        try {
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        table.removePending(this);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
