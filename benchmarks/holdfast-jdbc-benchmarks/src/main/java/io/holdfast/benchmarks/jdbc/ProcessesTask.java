package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Several clients want one lock, each with one thread, and work for 5 ms under it. They share a JVM; to the database they are as many
 * processes.
 *
 * @param address where the server is
 * @param clients how many
 * @param window how long passes are counted
 */
record ProcessesTask(String address, Contestant contestant, int clients, Duration window) implements Task {

    private static final long WORK_MILLIS = 5;

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) throws InterruptedException {
        LongAdder passes = new LongAdder();
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Guard guard = contestant.open(address).guard("apples");
            threads.add(new Thread(() -> pass(guard, passes, done)));
        }
        threads.forEach(Thread::start);
        while (passes.sum() < 10L * clients) {
            TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
        }
        cue.await();
        long before = passes.sum();
        TimeUnit.NANOSECONDS.sleep(window.toNanos());
        long counted = passes.sum() - before;
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        return new Answer(Map.of("passes", String.valueOf(counted)));
    }

    private static void pass(Guard guard, LongAdder passes, AtomicBoolean done) {
        while (!done.get()) {
            guard.acquire();
            try {
                TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                guard.release();
            }
            passes.increment();
        }
    }
}
