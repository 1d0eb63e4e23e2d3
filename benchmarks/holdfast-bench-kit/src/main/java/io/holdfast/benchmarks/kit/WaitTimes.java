package io.holdfast.benchmarks.kit;

import java.time.Duration;
import java.util.Scanner;

/**
 * How long waits took, in buckets that are an eighth of their value wide. Recording allocates nothing. Not thread-safe.
 */
public final class WaitTimes {

    private static final int BITS = 3;
    private static final int STEPS = 1 << BITS;

    private final int[] buckets = new int[(Long.SIZE - BITS) * STEPS];
    private long count;

    /** Counts one wait. */
    public void record(long nanos) {
        buckets[bucket(Math.max(0, nanos))]++;
        count++;
    }

    /** Counts all that the other has counted. */
    public void add(WaitTimes other) {
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] += other.buckets[i];
        }
        count += other.count;
    }

    /** The wait that {@code share} of all waits do not exceed; zero if there were none. */
    public Duration quantile(double share) {
        long wanted = (long) Math.ceil(share * count);
        long seen = 0;
        for (int i = 0; i < buckets.length; i++) {
            seen += buckets[i];
            if (seen >= wanted && seen > 0) {
                return Duration.ofNanos(floor(i));
            }
        }
        return Duration.ZERO;
    }

    /** One line; {@link #parse} reads it. */
    public String line() {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < buckets.length; i++) {
            if (buckets[i] > 0) {
                line.append(i).append(' ').append(buckets[i]).append(' ');
            }
        }
        return line.toString().strip();
    }

    public static WaitTimes parse(String line) {
        WaitTimes waits = new WaitTimes();
        Scanner numbers = new Scanner(line);
        while (numbers.hasNextInt()) {
            int bucket = numbers.nextInt();
            waits.buckets[bucket] = numbers.nextInt();
            waits.count += waits.buckets[bucket];
        }
        return waits;
    }

    private static int bucket(long nanos) {
        if (nanos < STEPS) {
            return (int) nanos;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        int step = (int) (nanos >>> (exponent - BITS)) - STEPS;
        return (exponent - BITS + 1) * STEPS + step;
    }

    private static long floor(int bucket) {
        if (bucket < STEPS) {
            return bucket;
        }
        int exponent = bucket / STEPS + BITS - 1;
        return (long) (STEPS + bucket % STEPS) << (exponent - BITS);
    }
}
