package io.holdfast.benchmarks;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Everything that is measured. Public for the code that JMH generates. */
public enum Contestant {
    HOLDFAST("Holdfast"),
    FAIR_MAP("fair map"),
    UNFAIR_MAP("unfair map"),
    FAIR_LOCK("no map"),

    HOLDFAST_READ_WRITE("Holdfast"),
    READ_WRITE_MAP("fair map"),
    READ_WRITE_LOCK("no map"),

    HOLDFAST_SEMAPHORE("Holdfast"),
    SEMAPHORE_MAP("fair map"),
    SEMAPHORE("no map");

    /** How many may be behind a gate of the semaphores at once. */
    static final int PERMITS = 4;

    private final String label;

    Contestant(String label) {
        this.label = label;
    }

    /** As the tables show it. */
    String label() {
        return label;
    }

    Gates open() {
        return switch (this) {
            case HOLDFAST -> HoldfastGates.exclusive();
            case FAIR_MAP -> new LockMapGates(() -> new ReentrantLock(true));
            case UNFAIR_MAP -> new LockMapGates(ReentrantLock::new);
            case FAIR_LOCK -> new OneLockGates(new ReentrantLock(true));
            case HOLDFAST_READ_WRITE -> HoldfastGates.readWrite();
            case READ_WRITE_MAP -> new ReadWriteMapGates();
            case READ_WRITE_LOCK -> new OneReadWriteLockGates(new ReentrantReadWriteLock(true));
            case HOLDFAST_SEMAPHORE -> HoldfastGates.semaphore(PERMITS);
            case SEMAPHORE_MAP -> new SemaphoreMapGates(() -> new Semaphore(PERMITS, true));
            case SEMAPHORE -> new OneSemaphoreGates(new Semaphore(PERMITS, true));
        };
    }

    /** What its gates can guard. */
    Thing thing() {
        return switch (this) {
            case HOLDFAST_SEMAPHORE, SEMAPHORE_MAP, SEMAPHORE -> new Room(PERMITS);
            default -> new Counter();
        };
    }
}
