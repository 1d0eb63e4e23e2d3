package io.holdfast.testkit;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what must come sooner or later; the limit only says when to give up hope. */
public final class Eventually {

    public static final Duration LIMIT = Duration.ofSeconds(30);

    private static final long LOOK_AGAIN_MILLIS = 5;

    private Eventually() {}

    public static void holds(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new AssertionError("Not after " + LIMIT + ": " + what);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError("Interrupted: " + what, interrupted);
            }
        }
    }

    public static void state(Lease lease, LeaseState state) {
        holds(lease.name() + " is " + state, () -> lease.state() == state);
    }

    /** What is left of a lease grows by a renewal only. */
    public static void renewed(Lease lease) {
        long[] least = {lease.remaining().toNanos()};
        holds(lease.name() + " is renewed", () -> {
            long left = lease.remaining().toNanos();
            least[0] = Math.min(least[0], left);
            return left > least[0];
        });
    }

    /** As the server sees it. */
    public static void waiters(DistributedLock lock, int count) {
        holds(count + " wait for " + lock.name(), () -> lock.inspect().waiters() == count);
    }

    public static <T> T comes(CompletableFuture<T> future) {
        return future.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Prints the milliseconds since then. It returns nothing, for no test depends on how long something took. */
    public static void figure(String what, long sinceNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
        System.out.println("figure: " + what + ": " + millis + " ms");
    }
}
