package io.holdfast.soak;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A process, or what counts as one: a way to the locks, a way to the data, and threads that use them. */
final class Team implements AutoCloseable {

    /** After the faults are over: longer than the longest wait, lease, pause of a driver and what a busy machine adds. */
    static final Duration PATIENCE = Duration.ofSeconds(40);

    private final String name;
    private final Names names;
    private final Locker locker;
    private final Data data;
    private final Journal journal;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    Team(String name, Names names, Locker locker, Data data, Journal journal) {
        this.name = name;
        this.names = names;
        this.locker = locker;
        this.data = data;
        this.journal = journal;
    }

    void start(int count, SplittableRandom dice, Worker.Habits habits) {
        for (int i = 1; i <= count; i++) {
            String id = name + ".t" + i;
            Worker worker = new Worker(id, names, locker, data, journal, dice.split(), habits);
            Thread thread = new Thread(worker, "soak-" + id);
            thread.setDaemon(true);
            workers.add(worker);
            threads.add(thread);
            thread.start();
        }
    }

    /** Everybody gets on, now that nothing fails any more. */
    void getsOn() {
        List<Long> before = workers.stream().map(Worker::done).toList();
        long limit = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < workers.size(); i++) {
            while (workers.get(i).done() < before.get(i) + 1) {
                if (System.nanoTime() > limit) {
                    stuck(threads.get(i));
                    break;
                }
                pause();
            }
        }
    }

    /** Everybody stops, and nobody is stuck. */
    void stop() {
        workers.forEach(Worker::stop);
        long limit = System.nanoTime() + PATIENCE.toNanos();
        for (Thread thread : threads) {
            while (thread.isAlive() && System.nanoTime() < limit) {
                pause();
            }
            if (thread.isAlive()) {
                stuck(thread);
            }
        }
    }

    /** Everything can be had, as a whole; once it was, at once, if {@code alone} says that nobody else wants it. */
    void takesEverything(boolean alone) {
        for (Map.Entry<String, Integer> each : names.capacities().entrySet()) {
            String wanted = each.getKey();
            Role role = names.locks().contains(wanted)
                    ? Role.OWNER
                    : names.tables().contains(wanted) ? Role.WRITER : Role.PERMITS;
            take(whole(role, wanted, each.getValue(), Wish.Way.WAIT));
            if (alone) {
                take(whole(role, wanted, each.getValue(), Wish.Way.TRY));
            }
        }
    }

    private static Wish whole(Role role, String name, int units, Wish.Way way) {
        return new Wish(
                role, List.of(name), units, Duration.ofSeconds(2), LockOptions.Renewal.ON, way, PATIENCE, PATIENCE);
    }

    private void take(Wish wish) {
        try {
            Optional<Locker.Possession> possession = locker.obtain(wish);
            if (possession.isEmpty()) {
                journal.violation("Not to be had in the end: " + wish + " by " + name);
            } else {
                possession.get().giveBack().run();
            }
        } catch (RuntimeException unexpected) {
            journal.violation("Not to be had in the end: " + wish + " by " + name + ": " + unexpected);
        }
    }

    private void stuck(Thread thread) {
        StringBuilder stack = new StringBuilder();
        for (StackTraceElement element : thread.getStackTrace()) {
            stack.append(" < ").append(element);
        }
        journal.violation("Stuck for " + PATIENCE + " after the faults: " + thread.getName() + stack);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        locker.close();
        data.close();
    }
}
