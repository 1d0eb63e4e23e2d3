package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Several leases as one: the state of a set. */
abstract class LeaseSetView implements LeaseSet {

    /** The leases, in the order in which they were acquired. */
    abstract List<? extends Lease> each();

    @Override
    public final List<String> names() {
        return each().stream().map(Lease::name).toList();
    }

    @Override
    public final LeaseState state() {
        LeaseState worst = LeaseState.HELD;
        for (Lease lease : each()) {
            LeaseState state = lease.state();
            if (state == LeaseState.LOST) {
                return state;
            }
            if (state.compareTo(worst) > 0) {
                worst = state;
            }
        }
        return worst;
    }

    @Override
    public final boolean isHeld() {
        return each().stream().allMatch(Lease::isHeld);
    }

    @Override
    public final Duration remaining() {
        return each().stream().map(Lease::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public final void ensureHeld() {
        each().forEach(Lease::ensureHeld);
    }

    @Override
    public final void onLost(Runnable callback) {
        AtomicBoolean called = new AtomicBoolean();
        Runnable once = () -> {
            if (called.compareAndSet(false, true)) {
                callback.run();
            }
        };
        each().forEach(lease -> lease.onLost(once));
    }

    final IllegalArgumentException notInSet(String name) {
        return new IllegalArgumentException("'" + name + "' is not in the set: " + names());
    }

    @Override
    public final String toString() {
        return "LeaseSet" + each();
    }
}
