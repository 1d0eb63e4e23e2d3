package io.holdfast.simulator;

import io.holdfast.LockOptions;
import java.time.Duration;

/**
 * The end of a wait, which is to be kept by a process that was awake all the time.
 *
 * @param process who waits
 * @param stops how often it had been stopped when the wait began
 * @param at when the answer is due, with a little time for its way
 */
record Deadline(SimProcess process, int stops, long at) {

    static Deadline in(SimProcess process, Duration wait, World world) {
        long at = wait.equals(LockOptions.FOREVER)
                ? Long.MAX_VALUE
                : world.now() + process.toWorld(wait.toNanos()) + World.MILLI;
        return new Deadline(process, process.stops(), at);
    }

    boolean isMissed(long now) {
        return now > at && process.stops() == stops;
    }
}
