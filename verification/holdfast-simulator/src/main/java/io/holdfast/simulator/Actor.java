package io.holdfast.simulator;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A user in a process: takes a lock, works under it, gives it back, thinks, and does it again. */
final class Actor {

    private static final long[] LEASES = {200, 500, 1_000, 2_000, 5_000};

    private final Simulation simulation;
    private final World world;
    private final SimProcess process;
    private final Holdfast holdfast;
    private final long think;
    private boolean waiting;
    private boolean holding;

    Actor(Simulation simulation, SimProcess process, Holdfast holdfast, long think) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.process = process;
        this.holdfast = holdfast;
        this.think = think;
    }

    /** Is it stuck in a call that should have returned? */
    boolean isStuck() {
        return !process.isDead() && (waiting || holding);
    }

    void next() {
        waiting = false;
        holding = false;
        if (!simulation.isOver()) {
            world.in(world.between(0, think), () -> process.enter(this::turn));
        }
    }

    private void turn() {
        if (simulation.isOver() || simulation.isClosed(holdfast)) {
            return;
        }
        DistributedLock lock = holdfast.lock(simulation.anyName(), options());
        waiting = true;
        if (world.chance(0.15)) {
            CompletableFuture<Optional<Lease>> attempt = lock.tryAcquireAsync();
            int place = simulation.arrivals().arrived(process, lock.name(), attempt);
            var unused =
                    attempt.whenComplete((lease, failure) -> proceed(place, lease == null ? null : lease.orElse(null)));
        } else {
            CompletableFuture<Lease> future = lock.acquireAsync();
            int place = simulation.arrivals().arrived(process, lock.name(), future);
            var unused = future.whenComplete((lease, failure) -> proceed(place, lease));
            if (world.chance(0.1)) {
                world.in(world.between(0, World.SECOND), () -> process.enter(() -> future.cancel(false)));
            }
        }
    }

    private LockOptions options() {
        Duration lease = Duration.ofMillis(LEASES[world.pick(LEASES.length)]);
        LockOptions options = LockOptions.defaults().withLeaseTime(lease).withMaxWait(wait(world.pick(5)));
        if (!simulation.isCalm() && world.chance(0.25)) {
            options = options.withRenewal(LockOptions.Renewal.OFF);
        }
        if (!simulation.isCalm() && world.chance(0.1)) {
            options = options.withMaxHold(lease.multipliedBy(1 + world.pick(3)));
        }
        if (simulation.holdsAtLeast() && world.chance(0.3)) {
            options = options.withHoldAtLeast(lease.dividedBy((simulation.isCalm() ? 2 : 1) + world.pick(4)));
        }
        return options;
    }

    private static Duration wait(int choice) {
        return switch (choice) {
            case 0 -> Duration.ofMillis(50);
            case 1 -> Duration.ofMillis(500);
            case 2 -> Duration.ofSeconds(3);
            case 3 -> Duration.ofSeconds(15);
            default -> LockOptions.FOREVER;
        };
    }

    private void proceed(int place, @Nullable Lease lease) {
        waiting = false;
        if (lease == null) {
            next();
            return;
        }
        simulation.arrivals().served(process, lease.name(), place);
        holding = true;
        simulation.beliefs().begin(lease, process);
        lease.onLost(() -> simulation.beliefs().end(lease, "loses"));
        long end = world.now()
                + (world.chance(0.85) ? world.between(0, 20 * World.MILLI) : world.between(0, 8 * World.SECOND));
        work(lease, end);
    }

    /** Reads, waits, writes back; over and over until it is time to go. */
    private void work(Lease lease, long end) {
        if (world.now() >= end || !believes(lease)) {
            giveBack(lease);
            return;
        }
        FencedCounter counter = simulation.counter(lease.name());
        remote(() -> counter.read(lease.token()), seen -> {
            if (seen < 0 || !believes(lease)) {
                giveBack(lease);
                return;
            }
            world.in(
                    world.between(0, Math.max(1, end - world.now())),
                    () -> process.enter(() -> {
                        if (believes(lease)) {
                            remote(() -> counter.write(lease.token(), seen + 1) ? 1 : 0, done -> work(lease, end));
                        } else {
                            giveBack(lease);
                        }
                    }));
        });
    }

    private static boolean believes(Lease lease) {
        LeaseState state = lease.state();
        return state == LeaseState.HELD || state == LeaseState.AT_RISK;
    }

    private void giveBack(Lease lease) {
        simulation.beliefs().end(lease, "releases");
        var unused = lease.releaseAsync().whenComplete((ours, failure) -> next());
    }

    private void remote(LongSupplier command, LongConsumer then) {
        world.in(slow(), () -> {
            long result = command.getAsLong();
            world.in(slow(), () -> process.enter(() -> then.accept(result)));
        });
    }

    private long slow() {
        return world.chance(0.05) ? world.between(0, 6 * World.SECOND) : world.between(0, 2 * World.MILLI);
    }
}
