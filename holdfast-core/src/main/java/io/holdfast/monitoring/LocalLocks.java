package io.holdfast.monitoring;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one {@code Holdfast} of this process holds and waits for, at one moment, without a store round trip.
 *
 * @param held its leases that have neither been released nor lost
 * @param waiting its acquisitions that have not ended
 */
public record LocalLocks(List<Held> held, List<Waiting> waiting) {

    public LocalLocks {
        held = List.copyOf(held);
        waiting = List.copyOf(waiting);
    }

    /**
     * A lease.
     *
     * @param name the lock's name
     * @param mode how it holds the name
     * @param label the label of the acquisition; empty if none
     * @param token the fencing token
     * @param thread the thread that acquired it; empty for an asynchronous acquisition
     * @param callSite the stack frames that acquired it; empty if it was not recorded, as for acquisitions less than a millisecond apart
     * @param age how long it has been held
     * @param remaining how long it lasts without a further renewal
     */
    public record Held(
            String name,
            LockInfo.Mode mode,
            String label,
            long token,
            Optional<String> thread,
            List<StackTraceElement> callSite,
            Duration age,
            Duration remaining) {

        public Held {
            callSite = List.copyOf(callSite);
        }
    }

    /**
     * An acquisition that waits.
     *
     * @param name the lock's name
     * @param mode how it would hold the name
     * @param label the label of the acquisition; empty if none
     * @param thread the thread that waits; empty for an asynchronous acquisition
     * @param callSite the stack frames that wait; empty if they were not recorded
     * @param age how long it has waited
     */
    public record Waiting(
            String name,
            LockInfo.Mode mode,
            String label,
            Optional<String> thread,
            List<StackTraceElement> callSite,
            Duration age) {

        public Waiting {
            callSite = List.copyOf(callSite);
        }
    }
}
