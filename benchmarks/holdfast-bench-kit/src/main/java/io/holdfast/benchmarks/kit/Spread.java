package io.holdfast.benchmarks.kit;

import java.util.Arrays;
import java.util.Locale;

/** Where the values of several rounds lie. */
public record Spread(double median, double least, double most) {

    public static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** The median, with the least and the most in brackets if they are not the same. */
    public String text() {
        String middle = text(median);
        String from = text(least);
        String to = text(most);
        return from.equals(to) ? middle : middle + " (" + from + "–" + to + ")";
    }

    /** Three digits that count; more would say more than was measured. */
    private static String text(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        int digits = value == 0 ? 0 : 2 - (int) Math.floor(Math.log10(Math.abs(value)));
        double unit = Math.pow(10, -digits);
        double rounded = digits < 0 ? Math.rint(value / unit) * unit : value;
        return String.format(Locale.ROOT, "%,." + Math.max(0, Math.min(3, digits)) + "f", rounded);
    }

    /** Standard deviation / mean; not a number if the mean is 0. */
    public static double variation(double... values) {
        double mean = Arrays.stream(values).average().orElse(0);
        double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .average()
                .orElse(0);
        return Math.sqrt(squares) / mean;
    }
}
