package io.holdfast.jdbc;

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
     * request may have been executed before the name became free. `asking`, `askAgain` and `end` change only under the mutex, and
     * whoever clears `asking` checks `askAgain` in the same step; so no notification is lost.
     *
     * When a lease that was handed over begins. The database made it when its clock showed G. A request of ours that left at t0
     * was executed when the same clock showed d0, so not before t0. Hence the lease began at t0 + (G - d0) or later, and counting from
     * there is safe. It is never counted from later than the arrival of the notification, which bounds the error if the clock of
     * the database was set forward in between; and from a request of the last ten seconds only, else the claim asks. After the connection was lost, the clock may be that of another server: then the
     * claim asks, and counts from that.
     */
    private static final long OLD = TimeUnit.SECONDS.toNanos(10);

    private final LeaseTable table;
    private final Environment environment;
    private final Claim claim;
    private final long since;
    private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean asking;
    private boolean askAgain;
    private End end = End.NOT_YET;
    private Scheduler.@Nullable Task timer;
    private @Nullable Seen seen;

    /** Changed by the thread that executes requests for the name. */
    private volatile boolean granted;

    private volatile boolean reserves;
    private volatile long reservedAt;
    private long holderToken;
    private volatile boolean overtaken;

    private enum End {
        NOT_YET,
        GRANTED,
        /** Released or failed. */
        WITHDRAWN
    }

    /** A request that was answered: when it was sent, and what the clock of the database showed when it was executed. */
    private record Seen(Moment sent, long micros) {}

    PendingClaim(LeaseTable table, Environment environment, Claim claim) {
        this.table = table;
        this.environment = environment;
        this.claim = claim;
        this.since = environment.ticker().nanos();
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
    void ask() {
        begin(LeaseTable.Step.ACQUIRE);
    }

    /** Checks whether the name is free; several claims do that together. */
    void poll() {
        begin(LeaseTable.Step.CHECK);
    }

    private void begin(LeaseTable.Step step) {
        mutex.lock();
        try {
            if (end != End.NOT_YET) {
                return;
            }
            if (asking) {
                askAgain = askAgain || step == LeaseTable.Step.ACQUIRE;
                return;
            }
            asking = true;
            askAgain = false;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        var unused = table.attempt(this, step).whenComplete(this::answered);
    }

    private void answered(@Nullable Attempt attempt, @Nullable Throwable failure) {
        if (attempt instanceof Attempt.Granted yes) {
            if (!finish(End.GRANTED, yes.grant(), null) && isWithdrawn()) {
                // Released while this request was under way, and the request may have come second.
                var unused = table.release(claim);
            }
        } else if (attempt instanceof Attempt.Busy busy) {
            sleep(busy.retryAfter());
        } else {
            finish(
                    End.WITHDRAWN,
                    null,
                    failure != null ? failure : new IllegalStateException("The store answered nothing."));
        }
    }

    private void sleep(Duration retryAfter) {
        boolean again;
        mutex.lock();
        try {
            asking = false;
            again = askAgain;
            if (!again && end == End.NOT_YET) {
                timer = environment.scheduler().schedule(this::poll, Math.max(1, retryAfter.toNanos()));
            }
        } finally {
            mutex.unlock();
        }
        if (again) {
            ask();
        }
    }

    /** A notification says that the name belongs to the claim. */
    void handedOver(Handover.Granted handed, Moment received) {
        Grant grant = null;
        mutex.lock();
        try {
            if (seen != null && handed.grantedAt() >= seen.micros && !isOld(seen.sent, received)) {
                Moment from = seen.sent.plusNanos(TimeUnit.MICROSECONDS.toNanos(handed.grantedAt() - seen.micros));
                int tokens = (int) (handed.lastToken() - handed.firstToken() + 1);
                grant = new Grant(
                        claim,
                        handed.firstToken(),
                        tokens,
                        earlier(from, received),
                        LeaseTable.micros(handed.endsAt() - handed.grantedAt()));
            }
        } finally {
            mutex.unlock();
        }
        if (grant == null) {
            ask();
        } else {
            granted = true;
            finish(End.GRANTED, grant, null);
        }
    }

    /** In a long time, the clock of the database may have been set, or have run at another rate. */
    private static boolean isOld(Moment sent, Moment received) {
        return sent.nanosUntil(received) > OLD;
    }

    /** On each clock by itself: while the machine slept, one of them stood still. */
    private static Moment earlier(Moment one, Moment other) {
        return new Moment(
                one.nanos() - other.nanos() < 0 ? one.nanos() : other.nanos(),
                Math.min(one.wallMicros(), other.wallMicros()));
    }

    /** A request was answered, by a statement that writes. */
    void saw(Moment sent, LeaseRow row) {
        mutex.lock();
        try {
            seen = new Seen(sent, row.now());
        } finally {
            mutex.unlock();
        }
    }

    /** The database may be another one from now on. */
    void forgetClock() {
        mutex.lock();
        try {
            seen = null;
        } finally {
            mutex.unlock();
        }
    }

    /** Remembers who holds the name, to see whether others go before. */
    void sawHolder(LeaseRow row) {
        if (holderToken != 0 && row.firstToken() != holderToken) {
            overtaken = true;
        }
        holderToken = row.firstToken();
    }

    /** The request was executed, and the name belongs to the claim. */
    void executed() {
        granted = true;
    }

    boolean wasGranted() {
        return granted;
    }

    /** Whether it shall put itself into the row as the next: once, and again if others went before it since. */
    boolean isReservationDue() {
        return !reserves || overtaken;
    }

    /** It tries to put itself into the row as the next. */
    void reserves() {
        reserves = true;
        reservedAt = environment.ticker().nanos();
        overtaken = false;
    }

    /** Since it put itself into the row as the next, or since it came. */
    long nearNanos() {
        return reserves ? environment.ticker().nanos() - reservedAt : waitedNanos();
    }

    boolean hasReserved() {
        return reserves;
    }

    /** Whether it does not wait any more. */
    boolean isOver() {
        mutex.lock();
        try {
            return end != End.NOT_YET;
        } finally {
            mutex.unlock();
        }
    }

    private boolean isWithdrawn() {
        mutex.lock();
        try {
            return end == End.WITHDRAWN;
        } finally {
            mutex.unlock();
        }
    }

    /** Nobody wants it any more. */
    void withdraw(Throwable reason) {
        finish(End.WITHDRAWN, null, reason);
    }

    /** Ends the wait; false if it had ended before. */
    private boolean finish(End how, @Nullable Grant grant, @Nullable Throwable failure) {
        mutex.lock();
        try {
            if (end != End.NOT_YET) {
                return false;
            }
            end = how;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        table.ended(this, grant != null);
        if (failure != null) {
            answer.completeExceptionally(failure);
        } else {
            answer.complete(Optional.ofNullable(grant));
        }
        return true;
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
