package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What belongs to a thread: {@code asLock()}, {@code call}, {@code run}, {@code tryRun}. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class ThreadOwnedLockTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final DistributedLock lock = holdfast.lock("a");
    private final Lock classic = lock.asLock();

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void ownerEntersAgainAndTheLastUnlockFrees() throws Exception {
        classic.lock();
        try {
            classic.lock();
            assertThat(classic.tryLock()).isTrue();
            assertThat(classic.tryLock(1, TimeUnit.SECONDS)).isTrue();
            classic.unlock();
            classic.unlock();
            classic.unlock();
            assertThat(elsewhere(classic::tryLock)).isFalse();
        } finally {
            classic.unlock();
        }
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void callRunAndLockEnterEachOtherWithTheSameTokenAndWithoutTheStore() {
        lock.run(outer -> {
            long inner = holdfast.lock("a").call(lease -> {
                lease.close();
                return lease.token();
            });
            assertThat(inner).isEqualTo(outer.token());
            assertThat(outer.state()).as("a nested close gives nothing back").isEqualTo(LeaseState.HELD);
            assertThat(lock.tryRun(lease -> assertThat(lease.token()).isEqualTo(outer.token())))
                    .isTrue();
            classic.lock();
            classic.unlock();
            assertThat(outer.state()).isEqualTo(LeaseState.HELD);
            assertThatThrownBy(classic::unlock)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("call() or run()");
        });
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void foreignThreadCannotUnlock() throws Exception {
        classic.lock();
        try {
            assertThat(elsewhere(() -> {
                        assertThatThrownBy(classic::unlock)
                                .isInstanceOf(IllegalMonitorStateException.class)
                                .hasMessageContaining("owned by thread");
                        return true;
                    }))
                    .isTrue();
            assertThat(lock.inspect().isFree()).isFalse();
        } finally {
            classic.unlock();
        }
    }

    @Test
    void interruptIsHonouredByTheInterruptibleFormsAndKeptByTheOthers() throws Exception {
        assertThat(elsewhere(() -> {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(classic::lockInterruptibly).isInstanceOf(InterruptedException.class);
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> classic.tryLock(1, TimeUnit.SECONDS))
                            .isInstanceOf(InterruptedException.class);
                    Thread.currentThread().interrupt();
                    classic.lock();
                    try {
                        assertThat(Thread.interrupted()).isTrue();
                        Thread.currentThread().interrupt();
                        assertThatThrownBy(classic::lockInterruptibly).isInstanceOf(InterruptedException.class);
                    } finally {
                        classic.unlock();
                    }
                    return true;
                }))
                .isTrue();
    }

    @Test
    void timedTryLockEndsWithTheWait() throws Exception {
        classic.lock();
        try {
            assertThat(elsewhere(() -> classic.tryLock(20, TimeUnit.MILLISECONDS)))
                    .isFalse();
            assertThat(elsewhere(() -> classic.tryLock(-1, TimeUnit.MILLISECONDS)))
                    .isFalse();
        } finally {
            classic.unlock();
        }
    }

    @Test
    void lostLockIsToldAtUnlockAndCanBeTakenAgain() {
        ManualTime time = new ManualTime();
        LockOptions brief =
                LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();
        try (Holdfast manual = Holdfast.builder("memory:")
                .environment(time.environment())
                .defaults(brief)
                .build()) {
            Lock lossy = manual.lock("b").asLock();
            lossy.lock();
            time.pass(Duration.ofSeconds(11));
            assertThatThrownBy(lossy::lock).as("no re-entry into what is lost").isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lossy::unlock).isInstanceOf(LeaseLostException.class);

            lossy.lock();
            lossy.unlock();
        }
    }

    @Test
    void conditionsAreRefusedWithAReason() {
        assertThatThrownBy(classic::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("no conditions");
    }

    private static boolean elsewhere(Callable<Boolean> task) throws Exception {
        FutureTask<Boolean> future = new FutureTask<>(task);
        new Thread(future, "elsewhere").start();
        return future.get(20, TimeUnit.SECONDS);
    }
}
