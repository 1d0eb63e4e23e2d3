package io.holdfast.testkit;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import java.time.Duration;

/** What a {@link Holdfast} that was closed leaves in its store. */
public final class ClosedHoldfast {

    /** Longer than any test: what is waited for that long does not come. */
    private static final Duration DAY = Duration.ofDays(1);

    private ClosedHoldfast() {}

    /** A critical section that ends after {@code close()} still releases its lease. */
    public static void lateReleaseFreesTheName(String url) {
        LockOptions options = LockOptions.builder().leaseTime(DAY).build();
        Holdfast closing = Holdfast.builder(url).shutdownGrace(Duration.ZERO).build();
        Lease lease = closing.lock("late", options).acquire();

        closing.close();

        try (Holdfast next = Holdfast.connect(url)) {
            check(
                    "no other holder while the critical section goes on",
                    next.lock("late").tryAcquire().isEmpty());
            check("the holder is notified", isLost(lease));
            next.lock("late").acquire(Duration.ofSeconds(30)).close();
        }
    }

    /** A process that runs one job and ends, as cron starts it: the name is locked for the rest of the hold, and no longer. */
    public static void restOfTheHoldOutlivesTheProcess(String url) {
        Duration hold = Duration.ofSeconds(2);
        LockOptions options =
                LockOptions.builder().leaseTime(DAY).holdAtLeast(hold).build();
        long began = System.nanoTime();
        try (Holdfast first = Holdfast.connect(url)) {
            check("the job ran", first.lock("job", options).tryRun(lease -> {}));
        }
        try (Holdfast second = Holdfast.connect(url)) {
            second.lock("job").acquire(Duration.ofSeconds(30)).close();
        }
        check("the store has kept the name for the hold", System.nanoTime() - began >= hold.toNanos());
    }

    private static boolean isLost(Lease lease) {
        try {
            lease.close();
            return false;
        } catch (LeaseLostException notified) {
            return true;
        }
    }

    private static void check(String what, boolean so) {
        if (!so) {
            throw new AssertionError("Not so: " + what);
        }
    }
}
