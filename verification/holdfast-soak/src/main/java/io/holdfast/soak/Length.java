package io.holdfast.soak;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** How long something lasts. */
enum Length {
    /** Shorter than the shortest lease. */
    SHORT(50, 700),
    /** Longer than the longest. */
    LONG(3_200, 4_500);

    private final int least;
    private final int most;

    Length(int least, int most) {
        this.least = least;
        this.most = most;
    }

    Duration any(Random dice) {
        return Duration.ofMillis(dice.nextInt(least, most));
    }

    /** Returns when it is over. */
    void pass(Random dice) {
        pass(any(dice));
    }

    static void pass(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
