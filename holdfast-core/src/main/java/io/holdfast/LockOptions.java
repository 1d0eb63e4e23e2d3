package io.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How leases are taken. Immutable; every {@code with} method returns a changed copy and checks it.
 *
 * <pre>{@code
 * LockOptions nightly = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(2)).withLabel("nightly job");
 * }</pre>
 *
 * <p>The default wait (15 s) outlasts the default lease (10 s), so that one crashed holder fails nobody.
 */
public final class LockOptions {

    /** A wait without end. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** The shortest lease that can be renewed in time on an ordinary machine. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** The longest lease: what a crashed holder can block. */
    public static final Duration LONGEST_LEASE = Duration.ofDays(1);

    /** What happens to a running body when its lease is lost. */
    public enum OnLoss {
        /** The lease changes its state and calls its callbacks; the body goes on until it looks. */
        SIGNAL,
        /** As {@link #SIGNAL}, and the thread that runs the body of {@code call}, {@code run} or {@code tryRun} is interrupted. */
        INTERRUPT
    }

    /** Is a lease kept alive while it is held? */
    public enum Renewal {
        ON,
        OFF
    }

    private static final int LONGEST_LABEL = 200;

    private static final LockOptions DEFAULTS = new LockOptions(
            Duration.ofSeconds(15), Duration.ofSeconds(10), Renewal.ON, null, Duration.ZERO, OnLoss.SIGNAL, "");

    private final Duration maxWait;
    private final Duration leaseTime;
    private final Renewal renewal;
    private final @Nullable Duration maxHold;
    private final Duration holdAtLeast;
    private final OnLoss onLoss;
    private final String label;

    private LockOptions(
            Duration maxWait,
            Duration leaseTime,
            Renewal renewal,
            @Nullable Duration maxHold,
            Duration holdAtLeast,
            OnLoss onLoss,
            String label) {
        this.maxWait = checkedWait(maxWait);
        this.leaseTime = between("leaseTime", leaseTime, SHORTEST_LEASE, LONGEST_LEASE);
        this.renewal = Objects.requireNonNull(renewal, "renewal");
        this.maxHold = maxHold;
        this.holdAtLeast = Objects.requireNonNull(holdAtLeast, "holdAtLeast");
        this.onLoss = Objects.requireNonNull(onLoss, "onLoss");
        this.label = Objects.requireNonNull(label, "label");
        if (maxHold != null && maxHold.compareTo(leaseTime) < 0) {
            throw new IllegalArgumentException("maxHold must not be below leaseTime (" + leaseTime + "): " + maxHold
                    + ". A hold lasts at least one lease; shorten leaseTime too.");
        }
        if (holdAtLeast.isNegative() || holdAtLeast.compareTo(leaseTime) > 0) {
            throw new IllegalArgumentException(
                    "holdAtLeast must be between PT0S and leaseTime (" + leaseTime + "): " + holdAtLeast
                            + ". The store keeps a crashed holder's lock for the lease only; lengthen leaseTime.");
        }
        if (label.length() > LONGEST_LABEL || label.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("label must have at most " + LONGEST_LABEL
                    + " characters and no control characters: it has " + label.length() + " characters");
        }
    }

    /** 15 s wait, 10 s lease with renewal, no end to the hold, signal on loss, no label. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** How long {@code acquire}, {@code call} and {@code run} wait: zero, positive, or {@link #FOREVER}. */
    public LockOptions withMaxWait(Duration maxWait) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    /**
     * How long the store keeps the lock without hearing from its holder; so also how long a crashed holder blocks the
     * others.
     */
    public LockOptions withLeaseTime(Duration leaseTime) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    /** Whether the lease is renewed while it is held. Off: it is over after the lease time, come what may. */
    public LockOptions withRenewal(Renewal renewal) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    /** Where renewal stops: a hold never lasts longer than this. At least the lease time. */
    public LockOptions withMaxHold(Duration maxHold) {
        return new LockOptions(
                maxWait, leaseTime, renewal, Objects.requireNonNull(maxHold, "maxHold"), holdAtLeast, onLoss, label);
    }

    /**
     * Keeps the lock in the store for at least this long after it was granted, even if it is released sooner, so that a
     * quick job is not run again by a server whose clock is late. At most the lease time.
     */
    public LockOptions withHoldAtLeast(Duration holdAtLeast) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    /** What happens to a running body when its lease is lost. */
    public LockOptions withOnLoss(OnLoss onLoss) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    /** Shown to people who inspect the lock; such as a user id. */
    public LockOptions withLabel(String label) {
        return new LockOptions(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    public Duration maxWait() {
        return maxWait;
    }

    public Duration leaseTime() {
        return leaseTime;
    }

    public Renewal renewal() {
        return renewal;
    }

    public Optional<Duration> maxHold() {
        return Optional.ofNullable(maxHold);
    }

    public Duration holdAtLeast() {
        return holdAtLeast;
    }

    public OnLoss onLoss() {
        return onLoss;
    }

    public String label() {
        return label;
    }

    private static Duration checkedWait(Duration maxWait) {
        Objects.requireNonNull(maxWait, "maxWait");
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException(
                    "maxWait must not be negative: " + maxWait + ". Use LockOptions.FOREVER to wait without end.");
        }
        return maxWait;
    }

    private static Duration between(String option, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, option);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(option + " must be between " + least + " and " + most + ": " + value);
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockOptions that
                && maxWait.equals(that.maxWait)
                && leaseTime.equals(that.leaseTime)
                && renewal == that.renewal
                && Objects.equals(maxHold, that.maxHold)
                && holdAtLeast.equals(that.holdAtLeast)
                && onLoss == that.onLoss
                && label.equals(that.label);
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxWait, leaseTime, renewal, maxHold, holdAtLeast, onLoss, label);
    }

    @Override
    public String toString() {
        return "LockOptions[maxWait=" + (maxWait.equals(FOREVER) ? "FOREVER" : maxWait) + ", leaseTime=" + leaseTime
                + ", renewal=" + renewal + ", maxHold=" + (maxHold == null ? "none" : maxHold) + ", holdAtLeast="
                + holdAtLeast + ", onLoss=" + onLoss + ", label='" + label + "']";
    }
}
