package io.holdfast.internal.handle;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.LeaderElection;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.UnsupportedCapabilityException;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.queue.Units;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.monitoring.Owner;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Makes the lock objects of one {@code Holdfast}; refuses early what its store does not support. */
public final class LockFactory {

    private static final int MOST_PERMITS = 1_000_000;

    private final Engine engine;
    private final ThreadLeases threadLeases = new ThreadLeases();

    public LockFactory(Engine engine) {
        this.engine = engine;
    }

    public DistributedLock lock(String name, LockOptions options) {
        return named(name, Units.EXCLUSIVE, options);
    }

    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        return new NamedReadWriteLock(named(name, Units.READ, options), named(name, Units.WRITE, options));
    }

    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException(
                    "A semaphore has between 1 and " + MOST_PERMITS + " permits: '" + name + "' with " + permits);
        }
        return new NamedSemaphore(engine, threadLeases, request(name, new Units(1, permits), options));
    }

    /** In the order of the names, which is the same in all processes. */
    public LockSet lockSet(Collection<String> names, LockOptions options) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("A lock set has at least one name.");
        }
        List<NamedLock> locks = new TreeSet<>(names)
                .stream().map(name -> named(name, Units.EXCLUSIVE, options)).toList();
        return new NamedLockSet(engine, threadLeases, locks, RequestTimes.of(options));
    }

    public LeaderElection election(String name, LockOptions options) {
        return new Election(engine, named(name, Units.EXCLUSIVE, options));
    }

    /** Is the current thread inside of a {@code call}, {@code run} or {@code asLock()}? */
    public boolean isInsideBody() {
        return !threadLeases.isEmpty();
    }

    private NamedLock named(String name, Units units, LockOptions options) {
        return new NamedLock(engine, threadLeases, request(name, units, options));
    }

    private LockRequest request(String name, Units units, LockOptions options) {
        if (engine.isClosing()) {
            throw engine.exceptions().closed(name);
        }
        String unsupported = engine.unsupported(units, options);
        if (unsupported != null) {
            throw new UnsupportedCapabilityException(name, engine.storeName(), unsupported);
        }
        Owner owner = new Owner(LocalHost.NAME, LocalHost.PID, engine.application(), options.label());
        return new LockRequest(LockNames.check(name), units, RequestTimes.of(options), owner);
    }
}
