package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Environment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * The intervals at which the pending claims of this process poll. The more of them wait, the less often each polls, so that polls use a bounded
 * share of the connections. Where waiters are not notified, the claim that has reserved the name polls fast, and the others slowly: the
 * longer they have waited, the more processes seem to wait for the name.
 */
final class PollIntervals {

    private static final long MIN_POLL = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MAX_POLL = TimeUnit.MILLISECONDS.toNanos(50);

    /** The interval of waiters that are notified. */
    private static final long NOTIFIED_POLL = TimeUnit.SECONDS.toNanos(1);

    /** Each pending claim adds so much to the interval of all. */
    private static final long LOAD_PER_CLAIM = TimeUnit.MICROSECONDS.toNanos(250);

    private final Environment environment;
    private final IntSupplier waiting;
    private final boolean isNotified;

    /**
     * The intervals for the claims of one store.
     *
     * @param waiting how many claims wait
     * @param isNotified whether they are notified when the name is released
     */
    PollIntervals(Environment environment, IntSupplier waiting, boolean isNotified) {
        this.environment = environment;
        this.waiting = waiting;
        this.isNotified = isNotified;
    }

    /**
     * The interval until the next poll of the claim.
     *
     * @param untilFree the time until the present lease expires, if it is not renewed
     * @param isOtherNext whether another claim has priority
     */
    Duration retryAfter(PendingClaim claim, Duration untilFree, boolean isOtherNext) {
        long poll = isNotified ? notifiedPoll() : Math.max(load(), unnotifiedPoll(claim, isOtherNext));
        double jitter = 0.75 + 0.25 * environment.random().getAsDouble();
        return Duration.ofNanos(Math.min((long) (poll * jitter), Math.max(MIN_POLL, untilFree.toNanos())));
    }

    private long unnotifiedPoll(PendingClaim claim, boolean isOtherNext) {
        long waited = claim.waitedNanos();
        long poll = between(MIN_POLL, claim.sinceReservedNanos() / 8, between(MAX_POLL, waited / 50, 4 * MAX_POLL));
        if (!isOtherNext) {
            return poll;
        }
        return Math.max(poll, between(MAX_POLL, waited, 4 * MAX_POLL));
    }

    private static long between(long least, long value, long most) {
        return Math.max(least, Math.min(value, most));
    }

    private long notifiedPoll() {
        return Math.max(NOTIFIED_POLL, 4 * load());
    }

    private long load() {
        return waiting.getAsInt() * LOAD_PER_CLAIM;
    }

    /** Runs a batch of polls: with a delay if many claims wait, so that one statement executes more of them. */
    void schedule(Runnable batch) {
        long delay = Math.min(MAX_POLL, load() / 20);
        if (delay < MIN_POLL) {
            batch.run();
        } else {
            environment.scheduler().schedule(batch, delay);
        }
    }

    /** After how many microseconds an entry in the wait queue expires: later than it is refreshed. */
    long entryLifetimeMicros() {
        return Math.min(WaitQueue.MAX_LIFETIME_MICROS, 5 * TimeUnit.NANOSECONDS.toMicros(notifiedPoll()));
    }

    /** For how many microseconds a claim reserves a name: for longer than until it polls again. */
    long reservationMicros() {
        return between(
                Dialect.RESERVATION_MICROS, 3 * TimeUnit.NANOSECONDS.toMicros(load()), Dialect.MAX_RESERVATION_MICROS);
    }
}
