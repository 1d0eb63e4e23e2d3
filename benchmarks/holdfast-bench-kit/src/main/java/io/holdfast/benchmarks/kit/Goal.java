package io.holdfast.benchmarks.kit;

import java.util.Locale;
import java.util.Optional;

/** What a contestant should reach in a column. */
public record Goal(String row, Column column, Bound bound, double limit) {

    /** How a value is compared with the limit. All but {@link #ALWAYS} look at the median of the rounds. */
    public enum Bound {
        AT_LEAST("≥"),
        AT_MOST("≤"),
        BELOW("<"),
        /** To two digits after the point. */
        EXACTLY("="),
        /** In every round; one that failed does not count as if it had not been. */
        ALWAYS("always");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }
    }

    /** A row of a Markdown table. */
    String line(Table table) {
        Optional<Spread> found = table.spread(row, column);
        boolean enough = bound != Bound.ALWAYS || table.isComplete(row, column);
        String verdict = found.map(spread -> isReached(spread) && enough ? "yes" : "**no**")
                .orElse("not measured");
        return String.format(
                Locale.ROOT,
                "| %s | %s %s %s | %s | %s |",
                row,
                column.heading(),
                bound.sign,
                limit == Math.rint(limit) ? Long.toString((long) limit) : Double.toString(limit),
                found.map(Spread::text).orElse("–"),
                verdict);
    }

    boolean isReached(Spread found) {
        return switch (bound) {
            case AT_LEAST -> found.median() >= limit;
            case AT_MOST -> found.median() <= limit;
            case BELOW -> found.median() < limit;
            case EXACTLY -> Math.abs(found.median() - limit) < 0.005;
            case ALWAYS -> found.least() == limit && found.most() == limit;
        };
    }
}
