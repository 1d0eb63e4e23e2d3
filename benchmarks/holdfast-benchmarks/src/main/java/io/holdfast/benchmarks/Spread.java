package io.holdfast.benchmarks;

import java.util.Arrays;

/** Where the values of several rounds lie. */
record Spread(double median, double least, double most) {

    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Standard deviation / mean; not a number if the mean is 0. */
    static double variation(double... values) {
        double mean = Arrays.stream(values).average().orElse(0);
        double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .average()
                .orElse(0);
        return Math.sqrt(squares) / mean;
    }
}
