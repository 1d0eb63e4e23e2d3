package io.holdfast.simulator;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** A user of the thread-owned form: becomes the writer if that can be had at once, stays as a reader, and leaves. */
final class Downgrade {

    private final Simulation simulation;
    private final World world;
    private final Node node;
    private final Resource resource;
    private final Runnable then;

    Downgrade(Simulation simulation, Node node, Resource resource, Runnable then) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.node = node;
        this.resource = resource;
        this.then = then;
    }

    void start(LockOptions options) {
        DistributedReadWriteLock lock = resource.readWrite(node.holdfast(), options);
        ReadWriteLock classic = lock.asReadWriteLock();
        if (node.ownedByThread().putIfAbsent(resource.name(), classic.writeLock()) == null) {
            Lease lease = tryToWrite(lock, classic);
            if (lease != null) {
                simulation.beliefs().begin(lease, Role.WRITER, resource.capacity(), node, options);
                new Work(simulation, node.process(), lease, () -> stayToRead(lease, classic))
                        .write(resource.counter(), world.now() + world.between(0, 50 * World.MILLI));
                return;
            }
            node.ownedByThread().remove(resource.name());
        }
        then.run();
    }

    private @Nullable Lease tryToWrite(DistributedReadWriteLock lock, ReadWriteLock classic) {
        try {
            return node.client().atOnce(() -> classic.writeLock().tryLock())
                    ? lock.writeLock().requireHeld()
                    : null;
        } catch (HoldfastException unavailable) {
            return null;
        }
    }

    private void stayToRead(Lease lease, ReadWriteLock classic) {
        if (!Work.believes(lease)) {
            leave(lease, classic.writeLock());
            return;
        }
        classic.readLock().lock();
        classic.writeLock().unlock();
        node.ownedByThread().put(resource.name(), classic.readLock());
        simulation.beliefs().downgraded(lease);
        long howLong = world.chance(0.7) ? world.between(0, 100 * World.MILLI) : world.between(0, 5 * World.SECOND);
        new Work(simulation, node.process(), lease, () -> leave(lease, classic.readLock()))
                .read(resource.counter(), world.now() + howLong);
    }

    private void leave(Lease lease, Lock owned) {
        Belief belief = simulation.beliefs().find(lease);
        simulation.beliefs().leave(lease);
        node.ownedByThread().remove(resource.name());
        if (node.unlock(owned)) {
            simulation.beliefs().releasedAsOurs(belief);
        } else {
            world.trace(node.toString(), "finds out that '" + resource.name() + "' was lost");
        }
        then.run();
    }
}
