package io.holdfast.internal.queue;

import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Moment;
import io.holdfast.spi.support.LockInfos;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes the leases and waiters of one local queue. Used under its mutex. */
record LocalReport(Moment now, List<LocalLocks.Held> held, List<LocalLocks.Waiting> waiting) {

    void leases(@Nullable HeldGrant latest) {
        for (HeldGrant grant = latest; grant != null; grant = grant.after) {
            for (LeaseRecord lease = grant.leases; lease != null; lease = lease.after) {
                held.add(new LocalLocks.Held(
                        lease.name(),
                        lease.mode(),
                        lease.label(),
                        lease.token,
                        nameOf(lease.caller),
                        CallSites.listed(lease.callSite),
                        Duration.ofNanos(now.nanos() - lease.since),
                        Duration.ofNanos(Math.max(0, lease.left(now)))));
            }
        }
    }

    void waiters(WaiterQueue queue) {
        for (Waiter waiter = queue.head(); waiter != null; waiter = waiter.after) {
            LockRequest request = waiter.request;
            LockInfo.Mode mode =
                    LockInfos.mode(request.units().capacity(), request.units().wanted());
            waiting.add(new LocalLocks.Waiting(
                    request.name(),
                    mode,
                    request.options().label(),
                    nameOf(waiter.caller),
                    CallSites.listed(waiter.callSite),
                    Duration.ofNanos(now.nanos() - waiter.since)));
        }
    }

    private static Optional<String> nameOf(@Nullable Thread thread) {
        return Optional.ofNullable(thread).map(Thread::getName);
    }
}
