package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A waiting thread that is interrupted in the moment in which it gets the lock: it ends its wait, one way or the other. */
class InterruptMeetsGrantTest {

    private static final int ROUNDS = 4_000;

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final DistributedLock lock = holdfast.lock(
            "a", LockOptions.builder().maxWait(LockOptions.FOREVER).build());
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    void waiterIsNotParkedForEver() throws Exception {
        CyclicBarrier round = new CyclicBarrier(2);
        CountDownLatch ended = new CountDownLatch(ROUNDS);
        Thread waiter = daemon(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                round.await();
                try {
                    lock.acquire().close();
                } catch (LockInterruptedException expected) {
                    // The other way.
                }
                Thread.interrupted();
                ended.countDown();
                round.await();
                Thread.interrupted();
            }
        });
        // Who takes the mutex of the queue may park the waiter there, which consumes the wake-up of the grant.
        for (int i = 0; i < 2; i++) {
            daemon(() -> {
                while (!over.get()) {
                    holdfast.localLocks();
                }
            });
        }
        for (int i = 0; i < ROUNDS; i++) {
            Lease held = lock.acquire();
            round.await(30, TimeUnit.SECONDS);
            while (holdfast.localLocks().waiting().isEmpty()) {
                Thread.onSpinWait();
            }
            waiter.interrupt();
            held.close();
            round.await(30, TimeUnit.SECONDS);
        }
        over.set(true);
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(failure.get()).isNull();
        holdfast.close();
    }

    private interface Task {
        void run() throws Exception;
    }

    private Thread daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
