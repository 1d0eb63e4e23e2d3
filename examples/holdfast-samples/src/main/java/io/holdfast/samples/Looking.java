package io.holdfast.samples;

// region inspect
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.monitoring.LockInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
// endregion

/** What somebody who runs the thing looks at. */
public final class Looking {

    private Looking() {}

    /** Who has held a lock for long. */
    public static List<String> heldFor(Holdfast holdfast, Duration tooLong) {
        List<String> found = new ArrayList<>();
        // region inspect
        for (LockInfo lock : holdfast.inspect("hotel:", 100)) { // "" for all names
            for (LockInfo.Holder holder : lock.holders()) {
                if (holder.age().compareTo(tooLong) >= 0) {
                    found.add(lock.name() + " is held by " + holder.owner() + ", token " + holder.token());
                }
            }
        }
        // endregion
        return found;
    }

    /** Takes a lock away from whoever has it now. */
    public static boolean breakLock(DistributedLock lock) {
        // region force-release
        boolean broken = false;
        for (LockInfo.Holder holder : lock.inspect().holders()) {
            broken |= lock.forceRelease(holder.token());
        }
        // endregion
        return broken;
    }
}
