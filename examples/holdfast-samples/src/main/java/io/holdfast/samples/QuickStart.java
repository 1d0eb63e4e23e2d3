package io.holdfast.samples;

// region quick-start
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
// endregion

/** The first lines that a newcomer reads. */
public final class QuickStart {

    private QuickStart() {}

    /** Reserves a room; how many are left. */
    public static int reserve(Rooms rooms, String guest) {
        // region quick-start
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("hotel:42");

            try (Lease lease = lock.acquire(Duration.ofSeconds(3))) {
                rooms.reserve(lease.token(), guest);
            }

            return lock.call(lease -> rooms.free());
        }
        // endregion
    }
}
