package io.holdfast.benchmarks;

import java.util.concurrent.locks.ReentrantLock;

/** Everything that is measured. Public for the code that JMH generates. */
public enum Contestant {
    HOLDFAST("Holdfast"),
    FAIR_MAP("fair map"),
    UNFAIR_MAP("unfair map"),
    FAIR_LOCK("one fair lock");

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
            case HOLDFAST -> new HoldfastGates();
            case FAIR_MAP -> new LockMapGates(() -> new ReentrantLock(true));
            case FAIR_LOCK -> new OneLockGates(new ReentrantLock(true));
            case UNFAIR_MAP -> new LockMapGates(ReentrantLock::new);
        };
    }
}
