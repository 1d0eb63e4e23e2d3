package io.holdfast.benchmarks.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Task;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * A table with many names of which half have not been used for two days. A client that has just started removes them, is asked for
 * who holds what, and acquires and releases a lock.
 *
 * @param address where the server is
 * @param insert inserts the names with numbers from %1$d to %2$d
 * @param rows how many names
 * @param window how long
 */
record ManyRowsTask(String address, Contestant contestant, String insert, int rows, Duration window) implements Task {

    private static final String COUNT = "SELECT count(*) FROM holdfast_lease";
    private static final int STEP = 50_000;
    private static final long PAUSE_MILLIS = 5;

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) throws InterruptedException {
        contestant.holdfast(address).build().close();
        try (Query query = new Query(address)) {
            cue.await();
            for (int from = 0; from < rows; from += STEP) {
                query.execute(insert.formatted(from, Math.min(rows, from + STEP) - 1));
            }
            try (Holdfast holdfast = contestant.holdfast(address).build()) {
                holdfast.lock("order:8").acquire().close();
                long before = query.number(COUNT);
                long begun = System.nanoTime();
                CompletableFuture<Long> inspection =
                        CompletableFuture.supplyAsync(() -> time(() -> holdfast.inspect("order:", 100)));
                LongStream.Builder pairs = LongStream.builder();
                while (System.nanoTime() - begun < window.toNanos() || !inspection.isDone()) {
                    pairs.add(time(() -> holdfast.lock("order:8").acquire().close()));
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                double seconds = (System.nanoTime() - begun) / 1e9;
                long[] all = pairs.build().sorted().toArray();
                return new Answer(Map.of(
                        "inspect", String.valueOf(inspection.join()),
                        "p99", String.valueOf(all[(int) (all.length * 0.99)]),
                        "most", String.valueOf(all[all.length - 1]),
                        "removed", String.valueOf((before - query.number(COUNT)) / seconds)));
            }
        }
    }

    private static long time(Runnable work) {
        long begun = System.nanoTime();
        work.run();
        return System.nanoTime() - begun;
    }
}
