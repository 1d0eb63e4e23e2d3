package io.holdfast.internal.queue;

import io.holdfast.LockOptions;
import io.holdfast.monitoring.Owner;

/**
 * What every acquisition of one lock object requests.
 *
 * @param name the lock's name
 * @param units how many units of it
 * @param times the options, in nanoseconds
 * @param owner shown to people who inspect the lock
 */
public record LockRequest(String name, Units units, RequestTimes times, Owner owner) {

    public LockOptions options() {
        return times.options();
    }
}
