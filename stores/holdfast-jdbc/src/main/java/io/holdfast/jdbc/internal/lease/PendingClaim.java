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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A claim that waits for a name in the lease table. It polls, and may be granted by a notification between two polls. */
final class PendingClaim {

    /*
     * At most one request is under way at a time. After a notification that arrives meanwhile, the next request is sent at once,
     * because the present one may have been executed before the name became free. `requesting` and `requestAgain` change only under
     * the mutex, and the thread that clears `requesting` checks `requestAgain` in the same step; so no notification is lost. The wait
     * has ended as soon as `answer` is complete: with a grant, or with a failure if the claim was withdrawn.
     *
     * Start of a lease that was handed over. The database granted it when its clock showed G. A request of this claim that was sent at
     * t0 was executed when the same clock showed d0, so not before t0. Hence the lease began at t0 + (G - d0) or later, and counting
     * from there is safe. It is never counted from later than the arrival of the notification, which bounds the error if the clock of
     * the database was set forward in between; and from a request of the last ten seconds only, else the claim sends a request. After
     * the connection was lost, the clock may be that of another server: then the claim sends a request, and counts from that one.
     */
    private static final long MAX_READING_AGE = TimeUnit.SECONDS.toNanos(10);

    /** Less than every token. */
    private static final long NOT_RESERVED = -1;

    private final LeaseAcquirer acquirer;
    private final Consumer<Claim> lateRelease;
    private final Consumer<PendingClaim> onEnd;
    private final Environment environment;
    private final Claim claim;
    private final long since;
    private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean requesting;
    private boolean requestAgain;
    private Scheduler.@Nullable Task timer;

    /** The last request that was answered; null if the database may be another server since. */
    private volatile @Nullable ClockReading reading;

    /** Changed by the thread that executes requests for the name. */
    private volatile boolean granted;

    /** The token of the holder at which this claim wrote itself into the row as the next one. */
    private volatile long reservedBehind = NOT_RESERVED;

    private volatile long reservedAt;

    /** A request that was answered: when it was sent, and what the clock of the database showed when it was executed. */
    private record ClockReading(Moment sent, long micros) {}

    /** What the claim does next. */
    private enum Step {
        /** Reads the row, and tries to acquire the name if the claim may get it. */
        POLL,
        ACQUIRE
    }

    /**
     * A claim that has sent nothing yet.
     *
     * @param lateRelease releases a claim that was granted after it was withdrawn
     * @param onEnd is called when the wait has ended
     */
    PendingClaim(
            LeaseAcquirer acquirer,
            Consumer<Claim> lateRelease,
            Consumer<PendingClaim> onEnd,
            Environment environment,
            Claim claim) {
        this.acquirer = acquirer;
        this.lateRelease = lateRelease;
        this.onEnd = onEnd;
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

    /** Tries to acquire the name now, or as soon as the request that is under way is answered. */
    void request() {
        start(Step.ACQUIRE);
    }

    /** Checks whether the name is free; one statement does this for several claims. */
    void poll() {
        start(Step.POLL);
    }

    private void start(Step step) {
        mutex.lock();
        try {
            if (isDone()) {
                return;
            }
            if (requesting) {
                requestAgain = requestAgain || step == Step.ACQUIRE;
                return;
            }
            requesting = true;
            requestAgain = false;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        CompletableFuture<Attempt> attempt = step == Step.ACQUIRE ? acquirer.request(claim, this) : acquirer.poll(this);
        var unused = attempt.whenComplete(this::answered);
    }

    private void answered(@Nullable Attempt attempt, @Nullable Throwable failure) {
        if (attempt instanceof Attempt.Granted yes) {
            if (!answer.complete(Optional.of(yes.grant())) && answer.isCompletedExceptionally()) {
                // It was released while this request was under way, and the request may have been executed after the
                // release.
                lateRelease.accept(claim);
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

    /** A notification says that the name was handed over to this claim. */
    void handedOver(NotificationMessage.Granted handed, Moment received) {
        ClockReading latest = reading;
        // In a long time, the clock of the database may have been set, or have run at another rate: then the claim
        // checks the row.
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

    /** The database may be another server from now on. */
    void forgetServerClock() {
        reading = null;
    }

    /** The request was executed, and the name belongs to the claim. */
    void markGranted() {
        granted = true;
    }

    /** Whether a request of this claim was executed, and the name belongs to it. */
    boolean wasGranted() {
        return granted;
    }

    /** Whether it may have written itself into the row as the next one. */
    boolean hasReserved() {
        return reservedBehind != NOT_RESERVED;
    }

    /** Whether to write it into the row as the next one: once, and again if the name was granted to another claim since. */
    boolean isReservationDue(LeaseRow row) {
        return row.firstToken != reservedBehind;
    }

    /** It is about to be written into the row as the next one. */
    void markReserved(LeaseRow row) {
        reservedBehind = row.firstToken;
        reservedAt = environment.ticker().nanos();
    }

    /** How long ago it was written into the row as the next one; else how long it has waited. */
    long sinceReservedNanos() {
        return reservedBehind == NOT_RESERVED
                ? waitedNanos()
                : environment.ticker().nanos() - reservedAt;
    }

    /** Whether the wait has ended. */
    boolean isDone() {
        return answer.isDone();
    }

    /** False if the wait had ended before. */
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
        onEnd.accept(this);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
