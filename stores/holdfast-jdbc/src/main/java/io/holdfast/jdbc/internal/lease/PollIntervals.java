package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Environment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * How often the claims of this process poll. The more of them wait, the less often each polls, so that polls take a bounded share of the
 * connections. Where waiters are not notified, the claim that is the next polls fast, and the others slowly: the longer they
 * have waited, the more processes seem to wait for the name.
 */
final class PollIntervals {

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often a waiter polls that is notified. */
    private static final long FALLBACK = TimeUnit.SECONDS.toNanos(1);

    /** How many polls there are at most: one for each waiting claim in this time. */
    private static final long PER_CLAIM = TimeUnit.MICROSECONDS.toNanos(250);

    private final Environment environment;
    private final IntSupplier waiting;
    private final boolean isNotified;

    /**
     * For the claims of one store.
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
     * How long a claim waits until its next poll.
     *
     * @param untilFree when the present lease expires, if it is not renewed
     * @param isOtherNext whether another claim has priority
     */
    Duration retryAfter(PendingClaim claim, Duration untilFree, boolean isOtherNext) {
        long poll = isNotified ? fallback() : Math.max(crowd(), unnotified(claim, isOtherNext));
        double jitter = 0.75 + 0.25 * environment.random().getAsDouble();
        return Duration.ofNanos(Math.min((long) (poll * jitter), Math.max(SHORTEST, untilFree.toNanos())));
    }

    private long unnotified(PendingClaim claim, boolean isOtherNext) {
        long waited = claim.waitedNanos();
        long poll = between(SHORTEST, claim.nearNanos() / 8, between(LONGEST, waited / 50, 4 * LONGEST));
        if (!isOtherNext) {
            return poll;
        }
        return Math.max(poll, between(LONGEST, waited, 4 * LONGEST));
    }

    private static long between(long least, long value, long most) {
        return Math.max(least, Math.min(value, most));
    }

    private long fallback() {
        return Math.max(FALLBACK, 4 * crowd());
    }

    private long crowd() {
        return waiting.getAsInt() * PER_CLAIM;
    }

    /** Runs a batch of polls: later if there are many, so that more of them go together. */
    void gather(Runnable batch) {
        long delay = Math.min(LONGEST, crowd() / 20);
        if (delay < SHORTEST) {
            batch.run();
        } else {
            environment.scheduler().schedule(batch, delay);
        }
    }

    /** For how many microseconds an entry in the wait queue is good: for longer than until it is refreshed. */
    long placeMicros() {
        return Math.min(WaitQueue.LONGEST_MICROS, 5 * TimeUnit.NANOSECONDS.toMicros(fallback()));
    }

    /** For how many microseconds a claim is the next: for longer than until it polls again. */
    long reservationMicros() {
        return between(Dialect.RESERVATION, 3 * TimeUnit.NANOSECONDS.toMicros(crowd()), Dialect.LONGEST_RESERVATION);
    }
}
