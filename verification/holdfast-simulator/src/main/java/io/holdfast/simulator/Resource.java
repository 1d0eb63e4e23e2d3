package io.holdfast.simulator;

import io.holdfast.Acquirable;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;

/**
 * A name that processes contend for.
 *
 * @param name the name
 * @param kind what it is
 * @param capacity how much of it there is
 * @param counter the data behind it
 * @param lease what its leases are mostly taken for: only those of one length share or pass on a claim as it is
 */
record Resource(String name, Kind kind, int capacity, FencedCounter counter, Duration lease) {

    private static final long[] LEASES = {200, 500, 1_000, 2_000, 5_000};

    private static final int MOST_PERMITS = 6;

    enum Kind {
        LOCK,
        READ_WRITE,
        SEMAPHORE;

        private static final List<Kind> ALL = List.of(values());

        static Kind any(World world) {
            return ALL.get(world.pick(ALL.size()));
        }
    }

    /** One user's wish: as what, how much, and where to get it. */
    record Request(Resource of, Role role, int units, Acquirable<Lease> source) {}

    static Resource ofKind(Kind kind, String label, World world) {
        int capacity = switch (kind) {
            case LOCK -> 1;
            case READ_WRITE -> Claim.READ_WRITE;
            case SEMAPHORE -> 2 + world.pick(MOST_PERMITS - 1);
        };
        return new Resource(label, kind, capacity, new FencedCounter(), anyLease(world));
    }

    Duration lease(World world) {
        return world.chance(0.7) ? lease : anyLease(world);
    }

    private static Duration anyLease(World world) {
        return Duration.ofMillis(LEASES[world.pick(LEASES.length)]);
    }

    /** Whatever the dice say. */
    Request any(Holdfast holdfast, LockOptions options, World world) {
        return switch (kind) {
            case LOCK -> large(holdfast, options);
            case READ_WRITE -> world.chance(0.65) ? small(holdfast, options) : large(holdfast, options);
            case SEMAPHORE ->
                world.chance(0.5) ? small(holdfast, options) : permits(holdfast, options, 1 + world.pick(capacity));
        };
    }

    /** The least one can ask for. */
    Request small(Holdfast holdfast, LockOptions options) {
        return switch (kind) {
            case LOCK -> large(holdfast, options);
            case READ_WRITE ->
                new Request(this, Role.READER, 1, readWrite(holdfast, options).readLock());
            case SEMAPHORE -> permits(holdfast, options, 1);
        };
    }

    /** All there is. */
    Request large(Holdfast holdfast, LockOptions options) {
        return switch (kind) {
            case LOCK -> new Request(this, Role.OWNER, 1, holdfast.lock(name, options));
            case READ_WRITE ->
                new Request(
                        this,
                        Role.WRITER,
                        capacity,
                        readWrite(holdfast, options).writeLock());
            case SEMAPHORE -> permits(holdfast, options, capacity);
        };
    }

    DistributedReadWriteLock readWrite(Holdfast holdfast, LockOptions options) {
        return holdfast.readWriteLock(name, options);
    }

    private Request permits(Holdfast holdfast, LockOptions options, int units) {
        return new Request(
                this,
                Role.PERMITS,
                units,
                holdfast.semaphore(name, capacity, options).withPermits(units));
    }
}
