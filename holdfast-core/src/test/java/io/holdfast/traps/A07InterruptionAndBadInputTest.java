package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInterruptedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code InterruptedException} swallowed; blank key answered with null. */
class A07InterruptionAndBadInputTest {

    /** Waits for a lock, ignores what it does not like to hear. */
    private static @Nullable String naiveLock(Semaphore lock, String key) {
        if (key.isBlank()) {
            return null;
        }
        try {
            if (lock.tryAcquire(10, TimeUnit.SECONDS)) {
                return "owner";
            }
        } catch (InterruptedException ignored) {
            return "owner";
        }
        return null;
    }

    @Test
    void naiveLockSwallowsTheInterruptAndAnswersNull() throws Exception {
        Semaphore lock = new Semaphore(0);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            answer.complete(naiveLock(lock, "apples"));
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        waiter.interrupt();

        assertThat(answer.get(10, TimeUnit.SECONDS))
                .as("enters without the lock")
                .isEqualTo("owner");
        assertThat(flag.get(10, TimeUnit.SECONDS)).as("and nobody can tell").isFalse();
        assertThat(naiveLock(lock, " ")).isNull();
    }

    @Test
    void interruptEndsTheWaitAndTheFlagIsSetAgain() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");
            AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            CountDownLatch started = new CountDownLatch(1);
            try (Lease held = lock.acquire()) {
                Thread waiter = new Thread(() -> {
                    started.countDown();
                    try {
                        lock.acquire().close();
                    } catch (LockInterruptedException interrupted) {
                        thrown.set(interrupted);
                    }
                    flag.complete(Thread.currentThread().isInterrupted());
                });
                waiter.start();
                started.await();
                while (waiter.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                waiter.interrupt();

                assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
                assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class);
                assertThat(held.token()).isPositive();
            }
            assertThat(lock.inspect().waiters()).as("the claim was withdrawn").isZero();
        }
    }

    @Test
    void badNamesAreRefusedWithAReason() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThatThrownBy(() -> holdfast.lock(" "))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("blank");
        }
    }
}
