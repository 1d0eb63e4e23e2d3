package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.testing.Await;
import io.holdfast.testing.LogCapture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a user sees. Each case prints its message, so that people can judge them side by side. */
class BadInputTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final DistributedLock lock = holdfast.lock("a");

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void blankName() {
        says("blank name", () -> holdfast.lock(" "), IllegalArgumentException.class, "blank");
    }

    @Test
    void negativeWait() {
        says(
                "negative wait",
                () -> lock.acquire(Duration.ofSeconds(-1)),
                IllegalArgumentException.class,
                "maxWait",
                "PT-1S",
                "FOREVER");
    }

    @Test
    void closedHoldfast() {
        Holdfast closed = Holdfast.connect("memory:");
        DistributedLock late = closed.lock("a");
        closed.close();
        says("closed Holdfast", late::acquire, HoldfastException.class, "closed", "'a'");
    }

    @Test
    void releaseTwice() {
        Lease lease = lock.acquire();
        assertThat(lease.release()).isTrue();
        assertThat(lease.release()).isFalse();
        lease.close();
        System.out.println("bad input: release twice: release() answers false, close() does nothing");
        says("work after release", lease::ensureHeld, LeaseLostException.class, "released");
    }

    @Test
    void foreignThreadUnlocks() throws Exception {
        Lock classic = lock.asLock();
        classic.lock();
        try {
            CompletableFuture.runAsync(() -> says(
                            "foreign thread unlocks",
                            classic::unlock,
                            IllegalMonitorStateException.class,
                            "owned by thread"))
                    .get(10, TimeUnit.SECONDS);
        } finally {
            classic.unlock();
        }
    }

    @Test
    void interruptWhileWaiting() throws Exception {
        Lease held = lock.acquire();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            started.countDown();
            try {
                says("interrupt while waiting", lock::acquire, LockInterruptedException.class, "nterrupted");
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        waiter.start();
        started.await();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        waiter.interrupt();
        done.get(10, TimeUnit.SECONDS);
        held.close();
    }

    @Test
    void unknownUrlScheme() {
        says(
                "scheme without its artifact",
                () -> Holdfast.connect("redis://user:p/ss@word@localhost:6379"),
                IllegalArgumentException.class,
                "'redis'",
                "[memory]",
                "io.holdfast:holdfast-redis");
        assertThat(catchThrowable(() -> Holdfast.connect("redis://user:p/ss@word@localhost:6379")))
                .message()
                .doesNotContain("ss", "word", "user");
        says(
                "unknown URL scheme",
                () -> Holdfast.connect("rdis:x"),
                IllegalArgumentException.class,
                "'rdis'",
                "[memory]");
    }

    @Test
    void leaseBelowTheSmallest() {
        says(
                "lease too short",
                () -> LockOptions.builder().leaseTime(Duration.ofMillis(5)).build(),
                IllegalArgumentException.class,
                "leaseTime",
                "PT0.005S",
                "PT0.1S");
    }

    @Test
    void maxHoldBelowTheLease() {
        says(
                "maxHold below the lease",
                () -> LockOptions.builder().maxHold(Duration.ofSeconds(1)).build(),
                IllegalArgumentException.class,
                "maxHold",
                "PT1S",
                "PT10S");
    }

    @Test
    void nestedAcquire() {
        try (Lease outer = lock.acquire()) {
            says(
                    "nested acquire()",
                    () -> lock.acquire(Duration.ofMillis(20)),
                    LockTimeoutException.class,
                    "held by this thread",
                    "'a'");
            assertThat(outer.state()).isEqualTo(LeaseState.HELD);
        }
    }

    @Test
    void forceReleaseWithAnOldToken() {
        Lease old = lock.acquire();
        old.close();
        try (Lease lease = lock.acquire()) {
            assertThat(lock.forceRelease(old.token())).isFalse();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            System.out.println("bad input: forceRelease with an old token: answers false, the holder keeps its lease");
        }
    }

    @Test
    void listenerThatThrows() {
        try (LogCapture log = capture();
                Holdfast noisy = Holdfast.builder("memory:")
                        .listener(event -> {
                            throw new IllegalStateException("planted");
                        })
                        .build()) {
            noisy.lock("a").run(lease -> {});
            Await.until("the exception is logged", () -> !log.messages().isEmpty());
            assertThat(log.messages()).allMatch(message -> message.contains("HoldfastListener"));
            System.out.println(
                    "bad input: a listener that throws: " + log.messages().get(0));
        }
    }

    @Test
    void timeOutNamesTheHolder() {
        DistributedLock labelled =
                holdfast.lock("a", LockOptions.builder().label("guest 42").build());
        CompletableFuture<Lease> elsewhere = CompletableFuture.supplyAsync(() -> labelled.acquire());
        elsewhere.join();
        says(
                "time-out",
                () -> lock.acquire(Duration.ofMillis(20)),
                LockTimeoutException.class,
                "held in this process by thread",
                "BadInputTest");
        elsewhere.join().close();
    }

    private static LogCapture capture() {
        return new LogCapture();
    }

    private static void says(String what, ThrowingCallable call, Class<? extends Throwable> type, String... parts) {
        Throwable thrown = catchThrowable(call);
        System.out.println("bad input: " + what + ": " + thrown);
        assertThat(thrown).isInstanceOf(type).hasMessageContainingAll(parts);
    }
}
