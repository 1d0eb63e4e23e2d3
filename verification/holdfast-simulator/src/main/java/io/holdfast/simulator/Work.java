package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** What is done under a lease, with data that is elsewhere, until it is time to go or the lease is over. */
final class Work {

    private final World world;
    private final SimProcess process;
    private final Lease lease;
    private final Runnable then;

    Work(Simulation simulation, SimProcess process, Lease lease, Runnable then) {
        this.world = simulation.world();
        this.process = process;
        this.lease = lease;
        this.then = then;
    }

    static boolean believes(Lease lease) {
        LeaseState state = lease.state();
        return state == LeaseState.HELD || state == LeaseState.AT_RISK;
    }

    /** Reads, waits, writes back; over and over. */
    void write(FencedCounter counter, long end) {
        if (isOver(end)) {
            then.run();
            return;
        }
        remote(() -> counter.read(lease.token()), seen -> {
            if (seen < 0 || !believes(lease)) {
                then.run();
                return;
            }
            pause(end, () -> {
                if (believes(lease)) {
                    remote(() -> counter.write(lease.token(), seen + 1) ? 1 : 0, done -> write(counter, end));
                } else {
                    then.run();
                }
            });
        });
    }

    /** Reads, waits, reads again; stops when a writer has been there. */
    void read(FencedCounter counter, long end) {
        if (isOver(end)) {
            then.run();
            return;
        }
        remote(() -> counter.look(lease.token()), seen -> {
            if (seen < 0) {
                then.run();
            } else {
                pause(end, () -> read(counter, end));
            }
        });
    }

    /** Only takes time. */
    void idle(long end) {
        if (isOver(end)) {
            then.run();
        } else {
            pause(end, () -> idle(end));
        }
    }

    private boolean isOver(long end) {
        return world.now() >= end || !believes(lease);
    }

    private void pause(long end, Runnable action) {
        world.in(world.between(1, Math.max(1, end - world.now())), () -> process.enter(action));
    }

    private void remote(LongSupplier command, LongConsumer action) {
        world.in(slow(), () -> {
            long result = command.getAsLong();
            world.in(slow(), () -> process.enter(() -> action.accept(result)));
        });
    }

    private long slow() {
        return world.chance(0.05) ? world.between(0, 6 * World.SECOND) : world.between(0, 2 * World.MILLI);
    }
}
