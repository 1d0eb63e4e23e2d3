package io.holdfast.soak;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Checks that nothing is left behind when everybody has gone: no holder, no waiter, no connection, no thread. */
final class Leftovers {

    /** Ends come in their own time: a driver's threads stop one after the other, a server notices a closed connection. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private Leftovers() {}

    /** What is left of threads that belong to locks and connections. */
    static List<String> threads(Duration patience) {
        return gone(
                patience,
                () -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.startsWith("holdfast-") || name.startsWith("lettuce-"))
                        .sorted()
                        .map(name -> "Left thread: " + name)
                        .toList());
    }

    /** What is left when the patience is over. */
    static List<String> gone(Duration patience, Supplier<List<String>> look) {
        long start = System.nanoTime();
        List<String> left = look.get();
        while (!left.isEmpty() && System.nanoTime() - start < patience.toNanos()) {
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            left = look.get();
        }
        return left;
    }
}
