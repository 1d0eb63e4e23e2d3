package io.holdfast.simulator;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;

/** A process with clocks of its own: it may be paused, suspended with its machine, or killed. */
final class SimProcess implements Ticker, Scheduler {

    private final World world;
    private final String name;
    /** How fast its clocks run. */
    private final double rate;

    private final Deque<Runnable> deferred = new ArrayDeque<>();
    private long wallStepMicros;
    private long suspended;
    private long suspendedSince;
    private boolean asleep;
    private boolean paused;
    private boolean dead;
    private int stops;
    private long awakeSince;
    private boolean steppedWallClock;
    private Runnable afterEachStep = () -> {};

    SimProcess(World world, String name, double rate) {
        this.world = world;
        this.name = name;
        this.rate = rate;
    }

    Environment environment() {
        return new Environment(this, this, task -> world.in(0, () -> enter(task)), world::fraction);
    }

    /** A monotonic clock does not count the time in which its machine slept. */
    @Override
    public long nanos() {
        return (long) ((world.now() - slept()) * rate);
    }

    @Override
    public long wallMicros() {
        return (long) (world.now() * rate / 1_000) + wallStepMicros;
    }

    /** World time that passes while this process's clock counts {@code nanos}. */
    long toWorld(long nanos) {
        return (long) (nanos / rate);
    }

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        World.Event event = world.in(Math.max(1, toWorld(delayNanos)), () -> enter(task));
        return event::cancel;
    }

    /** Runs {@code action} in this process: now, when it is awake again, or never. */
    void enter(Runnable action) {
        if (dead) {
            return;
        }
        if (paused || asleep) {
            deferred.add(action);
        } else {
            action.run();
            afterEachStep.run();
        }
    }

    void afterEachStep(Runnable look) {
        afterEachStep = look;
    }

    boolean isRunning() {
        return !dead && !paused && !asleep;
    }

    /** How often it was paused or suspended. */
    int stops() {
        return stops;
    }

    /** Since when it has not been stopped, in world time. */
    long awakeSince() {
        return isRunning() ? awakeSince : world.now();
    }

    boolean hasSteppedWallClock() {
        return steppedWallClock;
    }

    /** For how long it was suspended, up to now. */
    long slept() {
        return suspended + (asleep ? world.now() - suspendedSince : 0);
    }

    boolean isDead() {
        return dead;
    }

    void kill() {
        world.trace(name, "is killed");
        dead = true;
        deferred.clear();
    }

    void pauseFor(long duration) {
        if (isRunning()) {
            world.trace(name, "is paused for " + duration / World.MILLI + " ms");
            paused = true;
            stops++;
            world.in(duration, () -> {
                paused = false;
                catchUp();
            });
        }
    }

    void suspendFor(long duration) {
        if (isRunning()) {
            world.trace(name, "sleeps with its machine for " + duration / World.MILLI + " ms");
            asleep = true;
            stops++;
            suspendedSince = world.now();
            world.in(duration, () -> {
                suspended += world.now() - suspendedSince;
                asleep = false;
                catchUp();
            });
        }
    }

    void stepWallClock(long micros) {
        world.trace(name, "has its wall clock stepped by " + micros + " µs");
        wallStepMicros += micros;
        steppedWallClock = true;
    }

    private void catchUp() {
        world.trace(name, "is awake");
        awakeSince = world.now();
        while (!deferred.isEmpty() && isRunning()) {
            enter(deferred.poll());
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
