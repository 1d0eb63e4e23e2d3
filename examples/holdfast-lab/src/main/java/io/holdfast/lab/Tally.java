package io.holdfast.lab;

import java.time.Duration;

/**
 * What came out of one or more rounds.
 *
 * @param start apples in the stock at the start
 * @param served customers who got what they wanted
 * @param sold apples that customers were given
 * @param left apples in the stock at the end
 * @param failed customers that got an error or timed out; not those for whom too few apples were left
 * @param elapsed from the start of the first customer to the end of the last
 * @param commands commands that were sent to a server to guard the stock
 */
record Tally(int start, int served, int sold, int left, int failed, Duration elapsed, long commands) {

    static final Tally NOTHING = new Tally(0, 0, 0, 0, 0, Duration.ZERO, 0);

    /** Apples that were given out and did not exist. */
    int oversold() {
        return sold + left - start;
    }

    double commandsPerSale() {
        return served == 0 ? commands : (double) commands / served;
    }

    Tally plus(Tally other) {
        return new Tally(
                start + other.start,
                served + other.served,
                sold + other.sold,
                left + other.left,
                failed + other.failed,
                elapsed.plus(other.elapsed),
                commands + other.commands);
    }
}
