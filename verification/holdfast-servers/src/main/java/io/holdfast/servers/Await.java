package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what a server will do sooner or later. */
final class Await {

    private static final long LOOK_AGAIN_MILLIS = 5;

    private Await() {}

    /** Waits until the condition holds; fails with the given words when the limit is over or the thread is interrupted. */
    static void until(Duration limit, BooleanSupplier condition, Supplier<String> whatIsMissing) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new ServerException("After " + limit + ": " + whatIsMissing.get());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new ServerException("Interrupted: " + whatIsMissing.get());
            }
        }
    }
}
