package io.holdfast.simulator;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** A process with its engine, and what its users share. */
final class Node {

    private final SimProcess process;
    private final SimClient client;
    private final Holdfast holdfast;
    private final long slice;
    private final EventBalance events;
    private final Map<String, Lock> ownedByThread = new HashMap<>();
    private boolean closed;

    Node(SimProcess process, SimClient client, Holdfast holdfast, long slice, EventBalance events) {
        this.process = process;
        this.client = client;
        this.holdfast = holdfast;
        this.slice = slice;
        this.events = events;
    }

    SimProcess process() {
        return process;
    }

    SimClient client() {
        return client;
    }

    Holdfast holdfast() {
        return holdfast;
    }

    /** For how long its engine hands a grant over locally, in nanoseconds of its clock. */
    long slice() {
        return slice;
    }

    /** What is wrong with the events of a process that was not killed, when all has ended. */
    List<String> eventViolations() {
        return process.isRunning() ? events.violations() : List.of();
    }

    /** What the thread owns, by name; there is one thread, so one user at a time can have such a name. */
    Map<String, Lock> ownedByThread() {
        return ownedByThread;
    }

    /** The thread dies with its process, as far as it can: the real one lives on, and must not keep what it owned. */
    void kill() {
        process.kill();
        ownedByThread.values().forEach(this::unlock);
        ownedByThread.clear();
    }

    /** Unlocks; whether it had not been lost. */
    boolean unlock(Lock owned) {
        return client.atOnce(() -> {
            try {
                owned.unlock();
                return true;
            } catch (LeaseLostException lost) {
                return false;
            }
        });
    }

    boolean isClosed() {
        return closed;
    }

    /** Is it awake and open? */
    boolean isUp() {
        return process.isRunning() && !closed;
    }

    boolean isAsleep() {
        return !process.isRunning() && !process.isDead();
    }

    void close() {
        if (!closed) {
            closed = true;
            holdfast.close();
        }
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
