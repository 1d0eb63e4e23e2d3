package io.holdfast.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what other threads must do sooner or later; the limit only says when to give up. */
public final class Await {

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(30);

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT) {
                throw new AssertionError("Not after 30 s: " + what);
            }
            Thread.onSpinWait();
        }
    }
}
