package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code OnLoss.INTERRUPT} beside interrupts of others: the interrupt of the loss ends with the body, the others do not. */
class InterruptOnLossTest {

    private final ManualTime time = new ManualTime();
    private final Holdfast holdfast =
            Holdfast.builder("memory:").environment(time.environment()).build();
    private final DistributedLock lock = holdfast.lock(
            "x",
            LockOptions.builder()
                    .renewal(LockOptions.Renewal.OFF)
                    .onLoss(LockOptions.OnLoss.INTERRUPT)
                    .build());

    @AfterEach
    void close() {
        Thread.interrupted();
        holdfast.close();
    }

    private void loseTheLease() {
        time.pass(Duration.ofSeconds(11));
    }

    private static void cancel() {
        Thread.currentThread().interrupt();
    }

    private void assertLost(LockedRun<Lease, Exception> body) {
        assertLost(lock, body);
    }

    /** An assertion that fails in the body is suppressed by the loss, and must not go unnoticed. */
    private static void assertLost(DistributedLock lock, LockedRun<Lease, Exception> body) {
        assertThatThrownBy(() -> lock.run(body))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(lost -> assertThat(lost.getSuppressed()).noneMatch(AssertionError.class::isInstance));
    }

    private DistributedLock outer(Duration leaseTime) {
        return holdfast.lock(
                "outer", lock.options().toBuilder().leaseTime(leaseTime).build());
    }

    @Test
    void interruptOfTheLossEndsWithTheBody() {
        assertLost(lease -> {
            loseTheLease();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void cancellationBeforeTheLossIsKept() {
        assertLost(lease -> {
            cancel();
            loseTheLease();
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void cancellationBeforeTheLossIsKeptIfTheBodyEndsWithInterruptedException() {
        assertLost(lease -> {
            cancel();
            loseTheLease();
            blockingCall();
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void cancellationThatTheBodyHasHandledIsNotReportedAgain() {
        assertLost(lease -> {
            cancel();
            loseTheLease();
            assertThat(Thread.interrupted()).isTrue();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptOfTheLossThatEndsTheBodyIsNotReportedAgain() {
        assertLost(lease -> {
            loseTheLease();
            blockingCall();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void cancellationAfterTheBodyWasInterruptedIsKept() {
        assertLost(lease -> {
            loseTheLease();
            try {
                blockingCall();
            } finally {
                cancel();
            }
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void interruptOfTheOuterLeaseOutlivesTheInnerBody() {
        assertLost(outer(Duration.ofSeconds(20)), lease -> {
            assertLost(inner -> {
                loseTheLease();
                loseTheLease();
            });
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the outer lease was lost, too")
                    .isTrue();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptOfTheOuterLeaseOutlivesTheSecondInnerBody() {
        assertLost(outer(Duration.ofSeconds(20)), lease -> {
            lock.run(first -> {});
            assertLost(second -> {
                loseTheLease();
                loseTheLease();
            });
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the outer lease was lost, too")
                    .isTrue();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptOfTheInnerLeaseEndsWithTheInnerBody() {
        outer(Duration.ofMinutes(1)).run(lease -> {
            assertLost(inner -> loseTheLease());

            assertThat(Thread.currentThread().isInterrupted())
                    .as("the outer lease is held")
                    .isFalse();
        });
    }

    @Test
    void bodyThatEndsBeforeTheLossIsNotInterrupted() {
        lock.run(lease -> {});
        loseTheLease();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** As every method of the JDK that waits. */
    private static void blockingCall() throws InterruptedException {
        new java.util.concurrent.CountDownLatch(1).await();
    }
}
