package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MigratingTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final AtomicInteger runs = new AtomicInteger();
    private final Rooms rooms = new Rooms(3);

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void codeForRedissonRunsOnHoldfast() {
        FromRedisson sample = new FromRedisson(holdfast, runs::incrementAndGet);

        sample.watchdog();
        assertThat(sample.fixedLease()).isTrue();
        sample.readWrite();
        sample.permits();
        sample.several();
        sample.fenced(rooms);

        assertThat(runs).hasValue(5);
        assertThat(rooms.guests()).containsExactly("Ada");
        assertThat(holdfast.inspect("", 10)).isEmpty();
    }

    @Test
    void codeForSpringIntegrationRunsOnHoldfast() throws Exception {
        FromSpringIntegration sample = new FromSpringIntegration(holdfast, runs::incrementAndGet);

        assertThat(sample.asLock()).isTrue();
        sample.run();
        assertThat(sample.withLease(rooms)).isTrue();

        assertThat(runs).hasValue(2);
        assertThat(holdfast.inspect("", 10)).isEmpty();
    }

    @Test
    void codeForShedLockRunsOncePerTick() {
        FromShedLock sample = new FromShedLock(holdfast, runs::incrementAndGet);

        sample.nightlyReport();
        sample.nightlyReport();

        assertThat(runs).hasValue(1);
    }

    @Test
    void codeForCuratorRunsOnHoldfast() throws Exception {
        FromCurator sample = new FromCurator(holdfast, runs::incrementAndGet);
        CountDownLatch started = new CountDownLatch(1);

        assertThat(sample.mutex()).isTrue();
        sample.semaphore();
        try (LeaderElection election = sample.leader(new Sharing.Reports() {
            @Override
            public void start(long token) {
                started.countDown();
            }

            @Override
            public void stop() {}
        })) {
            assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(election.isLeader()).isTrue();
        }

        assertThat(runs).hasValue(2);
    }

    @Test
    void attemptThatFindsTheLockHeldIsAnAnswer() throws Exception {
        try (Lease held = holdfast.lock("nightly-report").acquire()) {
            new FromShedLock(holdfast, runs::incrementAndGet).nightlyReport();
            held.ensureHeld();
        }
        assertThat(runs).hasValue(0);
    }
}
