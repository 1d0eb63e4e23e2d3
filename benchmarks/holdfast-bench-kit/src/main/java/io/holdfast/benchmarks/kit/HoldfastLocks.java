package io.holdfast.benchmarks.kit;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holdfast, as its users call it. */
public final class HoldfastLocks implements HeldLocks {

    private static final LockOptions OPTIONS = LockOptions.builder()
            .leaseTime(Duration.ofMillis(LEASE_MILLIS))
            .maxWait(LockOptions.FOREVER)
            .build();

    private final Holdfast holdfast;

    public HoldfastLocks(Holdfast.Builder builder) {
        holdfast = builder.defaults(OPTIONS).build();
    }

    @Override
    public Guard guard(String name) {
        return new LeaseGuard(holdfast.lock(name));
    }

    @Override
    public long held(List<String> names) {
        return names.stream()
                .filter(name -> !holdfast.lock(name).inspect().isFree())
                .count();
    }

    private static final class LeaseGuard implements Guard {

        private final DistributedLock lock;
        private @Nullable Lease lease;

        LeaseGuard(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public void acquire() {
            lease = lock.acquire();
        }

        @Override
        public void release() {
            Lease held = lease;
            if (held != null) {
                held.close();
            }
        }

        @Override
        public boolean isHeld() {
            return lease != null && lease.state() == LeaseState.HELD;
        }
    }
}
