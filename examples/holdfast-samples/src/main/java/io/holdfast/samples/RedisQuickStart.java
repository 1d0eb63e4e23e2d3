package io.holdfast.samples;

// region quick-start
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
// endregion

/** The first lines of the README: a lock on Redis. */
public final class RedisQuickStart {

    private RedisQuickStart() {}

    /** Reserves a room on a Redis of this machine; how many are left. */
    public static int reserve(Rooms rooms, String guest) {
        // region quick-start
        try (Holdfast holdfast = Holdfast.connect("redis://localhost:6379")) {
            DistributedLock lock = holdfast.lock("hotel:42");

            try (Lease lease = lock.acquire(Duration.ofSeconds(3))) { // LockTimeoutException names the holder
                rooms.reserve(lease.token(), guest); // the data refuses a fencing token that is too old
            }

            return lock.call(lease -> rooms.free()); // acquire, run, release
        }
        // endregion
    }
}
