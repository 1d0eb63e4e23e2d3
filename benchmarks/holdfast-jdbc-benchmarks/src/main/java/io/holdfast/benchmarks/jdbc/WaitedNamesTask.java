package io.holdfast.benchmarks.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One client holds many locks, another waits for all of them, and acquires and releases one that is uncontended.
 *
 * @param address where the server is
 * @param names how many it waits for
 * @param window how long it is measured
 */
record WaitedNamesTask(String address, Contestant contestant, int names, Duration window) implements Task {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final long PAUSE_MILLIS = 20;

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) throws InterruptedException {
        try (Holdfast holding = open();
                Holdfast waiting = open()) {
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                holding.lock("held" + i).acquire();
                waits.add(waiting.lock("held" + i).acquireAsync(LONG));
            }
            // It is behind all that was asked before.
            probe(waiting, Duration.ofSeconds(1));
            cue.await();
            List<Long> nanos = probe(waiting, window);
            waits.forEach(wait -> wait.cancel(true));
            return new Answer(
                    Map.of("nanos", nanos.stream().map(String::valueOf).collect(Collectors.joining(" "))));
        }
    }

    private Holdfast open() {
        return contestant
                .holdfast(address)
                .defaults(LockOptions.builder().leaseTime(LONG).build())
                .shutdownGrace(Duration.ofMillis(100))
                .build();
    }

    private static List<Long> probe(Holdfast holdfast, Duration time) throws InterruptedException {
        List<Long> nanos = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            long begun = System.nanoTime();
            holdfast.lock("probed").acquire().close();
            nanos.add(System.nanoTime() - begun);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        return nanos;
    }
}
