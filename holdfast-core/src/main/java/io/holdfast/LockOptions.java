package io.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired, and how long a lease lasts. Immutable.
 *
 * <pre>{@code
 * LockOptions nightly = LockOptions.builder().leaseTime(Duration.ofMinutes(2)).label("nightly job").build();
 * }</pre>
 *
 * <p>The default wait (15 s) outlasts the default lease (10 s), so that one crashed holder makes no other acquisition fail.
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
        /** The lease changes its state and calls its callbacks; the body runs on until it checks. */
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

    private static final LockOptions DEFAULTS = builder().build();

    private final Duration maxWait;
    private final Duration leaseTime;
    private final Renewal renewal;
    private final @Nullable Duration maxHold;
    private final Duration holdAtLeast;
    private final OnLoss onLoss;
    private final String label;

    private LockOptions(Builder builder) {
        this.maxWait = checkedWait(builder.maxWait);
        this.leaseTime = between("leaseTime", builder.leaseTime, SHORTEST_LEASE, LONGEST_LEASE);
        this.renewal = builder.renewal;
        this.maxHold = builder.maxHold;
        this.holdAtLeast = builder.holdAtLeast;
        this.onLoss = builder.onLoss;
        this.label = builder.label;
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

    /** Begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Begins with these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.maxWait = maxWait;
        builder.leaseTime = leaseTime;
        builder.renewal = renewal;
        builder.maxHold = maxHold;
        builder.holdAtLeast = holdAtLeast;
        builder.onLoss = onLoss;
        builder.label = label;
        return builder;
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
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException(
                    "maxWait must not be negative: " + maxWait + ". Use LockOptions.FOREVER to wait without end.");
        }
        return maxWait;
    }

    private static Duration between(String option, Duration value, Duration least, Duration most) {
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

    /** Collects options, in any order; {@link #build} checks them together. Not thread-safe. */
    public static final class Builder {

        private Duration maxWait = Duration.ofSeconds(15);
        private Duration leaseTime = Duration.ofSeconds(10);
        private Renewal renewal = Renewal.ON;
        private @Nullable Duration maxHold;
        private Duration holdAtLeast = Duration.ZERO;
        private OnLoss onLoss = OnLoss.SIGNAL;
        private String label = "";

        private Builder() {}

        /** How long {@code acquire}, {@code call} and {@code run} wait: zero, positive, or {@link #FOREVER}; default 15 s. */
        public Builder maxWait(Duration maxWait) {
            this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
            return this;
        }

        /**
         * How long the store keeps the lock without hearing from its holder; so also how long a crashed holder blocks the
         * others. From {@link #SHORTEST_LEASE} to {@link #LONGEST_LEASE}; default 10 s.
         */
        public Builder leaseTime(Duration leaseTime) {
            this.leaseTime = Objects.requireNonNull(leaseTime, "leaseTime");
            return this;
        }

        /** Whether the lease is renewed while it is held; default on. Off: it expires after the lease time in any case. */
        public Builder renewal(Renewal renewal) {
            this.renewal = Objects.requireNonNull(renewal, "renewal");
            return this;
        }

        /** Where renewal stops: a hold never lasts longer than this. At least the lease time; default: no end. */
        public Builder maxHold(Duration maxHold) {
            this.maxHold = Objects.requireNonNull(maxHold, "maxHold");
            return this;
        }

        /**
         * Keeps the lock in the store for at least this long after it was granted, even if it is released sooner, so that a
         * quick job is not run again by a server whose clock is late. At most the lease time; default zero.
         */
        public Builder holdAtLeast(Duration holdAtLeast) {
            this.holdAtLeast = Objects.requireNonNull(holdAtLeast, "holdAtLeast");
            return this;
        }

        /** What happens to a running body when its lease is lost; default {@link OnLoss#SIGNAL}. */
        public Builder onLoss(OnLoss onLoss) {
            this.onLoss = Objects.requireNonNull(onLoss, "onLoss");
            return this;
        }

        /** Shown to people who inspect the lock; such as a user id. At most 200 characters; default empty. */
        public Builder label(String label) {
            this.label = Objects.requireNonNull(label, "label");
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if an option is out of its bounds, or two do not fit together
         */
        public LockOptions build() {
            return new LockOptions(this);
        }
    }
}
