package io.holdfast.spi;

import io.holdfast.monitoring.Owner;
import java.time.Duration;

/**
 * A request of one process for one name. A claim is made once per attempt and sent again, unchanged, after an
 * unknown outcome, so that a store finds its own earlier record instead of making a second one.
 *
 * @param name the lock's name, exactly as the user wrote it
 * @param id who claims
 * @param mode what to do when the claim does not fit now
 * @param units how much of the capacity it takes: 1 of 1 for a lock, 1 of {@link #READ_WRITE} for a reader, all of it for a
 *     writer, k of n for a semaphore
 * @param capacity how much there is; part of the identity of the name
 * @param lease how long the store keeps the claim without a renewal
 * @param tokens how many consecutive fencing tokens the process would like, at least 1
 * @param owner shown to people who inspect the lock; never used to decide anything
 */
public record Claim(
        String name, ClaimId id, Mode mode, int units, int capacity, Duration lease, int tokens, Owner owner) {

    /**
     * The capacity of a read/write lock: a reader takes 1 of it, a writer all. More than there can be readers, and far
     * from where an {@code int} overflows when two claims are added up.
     */
    public static final int READ_WRITE = 1_000_000_000;

    /** What a claim wants when the name is taken. */
    public enum Mode {
        /** One attempt: granted now, or refused. Never overtakes a claim that waits. */
        TRY,
        /** Join the queue and be granted when the turn comes. */
        WAIT
    }

    public Claim {
        if (units < 1 || units > capacity) {
            throw new IllegalArgumentException(
                    "A claim takes between 1 and capacity units: units=" + units + ", capacity=" + capacity);
        }
        if (capacity > READ_WRITE) {
            throw new IllegalArgumentException("A capacity is at most " + READ_WRITE + ": " + capacity);
        }
        if (tokens < 1) {
            throw new IllegalArgumentException("A claim requests at least one token: tokens=" + tokens);
        }
    }

    /** The same claim with other units; for a {@link RenewalRequest} that gives some of them back. */
    public Claim withUnits(int fewer) {
        return new Claim(name, id, mode, fewer, capacity, lease, tokens, owner);
    }

    /** What a capacity stands for, in messages. */
    public static String describe(int capacity) {
        return switch (capacity) {
            case 1 -> "a lock";
            case READ_WRITE -> "a read/write lock";
            default -> "a semaphore of " + capacity + " permits";
        };
    }
}
