package io.holdfast.lab;

import java.time.Duration;

/**
 * What came out of one or more rounds.
 *
 * @param start apples in the stock at the start
 * @param sold apples that customers were given
 * @param left apples in the stock at the end
 * @param failed customers that met an error or waited in vain; not those who were told that too few are left
 * @param elapsed from the start of the first customer to the end of the last
 */
record Tally(int start, int sold, int left, int failed, Duration elapsed) {

    static final Tally NOTHING = new Tally(0, 0, 0, 0, Duration.ZERO);

    /** Apples that were given out and did not exist. */
    int oversold() {
        return sold + left - start;
    }

    Tally plus(Tally other) {
        return new Tally(
                start + other.start,
                sold + other.sold,
                left + other.left,
                failed + other.failed,
                elapsed.plus(other.elapsed));
    }
}
