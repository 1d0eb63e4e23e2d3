package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LeaderElection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharingTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final Sharing sharing = new Sharing(holdfast);

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void readsThenWrites() {
        AtomicLong price = new AtomicLong(4);
        assertThat(sharing.raise(price::get, (token, value) -> price.set(value)))
                .isEqualTo(4);
        assertThat(price).hasValue(5);
    }

    @Test
    void writerStaysAReader() {
        AtomicLong price = new AtomicLong(4);
        assertThat(sharing.writeThenRead(price::get, price::incrementAndGet)).isEqualTo(5);
        assertThat(holdfast.inspect("", 10)).isEmpty();
    }

    @Test
    void printsBoth() {
        AtomicInteger printed = new AtomicInteger();
        sharing.print(printed::incrementAndGet, printed::incrementAndGet);
        assertThat(printed).hasValue(2);
    }

    @Test
    void booksUnderBothLocks() {
        sharing.transfer(
                "b",
                "a",
                (from, to) -> assertThat(holdfast.inspect("", 10))
                        .hasSize(2)
                        .allSatisfy(info -> assertThat(info.isFree()).isFalse()));
        assertThat(holdfast.inspect("", 10)).isEmpty();
    }

    @Test
    void leaderStartsAndStops() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        LeaderElection election = sharing.lead(new Sharing.Reports() {
            @Override
            public void start(long token) {
                started.countDown();
            }

            @Override
            public void stop() {
                stopped.countDown();
            }
        });
        assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(election.isLeader()).isTrue();
        election.close();
        assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
    }
}
