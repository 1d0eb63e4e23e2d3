package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.support.WaitingStore;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.PolledStore;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One leader at a time, told in turns, and stepping down before the next one begins. */
class LeaderElectionTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final LeaderElection here = processes.here.election("reports");
    private final LeaderElection there = processes.there.election("reports");
    private final List<String> told = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();

    @AfterEach
    void close() {
        processes.close();
    }

    private LeaderElection.Listener listener(String who, LeaderElection rival) {
        return new LeaderElection.Listener() {
            @Override
            public void onElected(Lease term) {
                told.add(who + " elected");
                tokens.add(term.token());
                assertThat(rival.isLeader()).isFalse();
            }

            @Override
            public void onRevoked(Lease term) {
                told.add(who + " deposed");
                assertThat(rival.isLeader())
                        .as("nobody else leads before this one was told")
                        .isFalse();
            }
        };
    }

    private void standBoth() {
        here.start(listener("here", there));
        processes.time.runCallbacks();
        there.start(listener("there", here));
        processes.time.runCallbacks();
    }

    @Test
    void firstToStandLeadsThroughRenewals() {
        standBoth();
        assertThat(told).containsExactly("here elected");
        try (LogCapture log = new LogCapture()) {
            processes.time.pass(Duration.ofHours(1));
            assertThat(log.messages())
                    .as("a leader is expected to hold for long")
                    .isEmpty();
        }
        assertThat(told).containsExactly("here elected");
        assertThat(here.isLeader()).isTrue();
        assertThat(here.term())
                .hasValueSatisfying(term -> assertThat(term.token()).isEqualTo(tokens.get(0)));
        assertThat(there.isLeader()).isFalse();
        assertThat(there.term()).isEmpty();
    }

    @Test
    void resigningTellsTheListenerBeforeTheNextIsElected() {
        standBoth();
        CompletableFuture<Void> resigned = here.resign();
        assertThat(here.isLeader()).as("at once").isFalse();
        assertThat(there.isLeader()).isFalse();
        processes.time.runCallbacks();
        assertThat(resigned).isCompleted();
        assertThat(told).containsExactly("here elected", "here deposed", "there elected");
        assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));

        there.close();
        processes.time.runCallbacks();
        assertThat(told).endsWith("there deposed", "here elected");
        assertThat(here.isLeader()).as("it stood again behind the other").isTrue();
    }

    @Test
    void leaderThatCannotReachTheStoreStepsDownBeforeTheNextIsElected() {
        standBoth();
        processes.store.down = true;
        while (!there.isLeader()) {
            boolean led = here.isLeader();
            processes.time.pass(Duration.ofMillis(1));
            assertThat(led && there.isLeader()).isFalse();
        }
        assertThat(told).containsExactly("here elected", "here deposed", "there elected");

        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(30));
        there.close();
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(here.isLeader()).as("it went on standing through the outage").isTrue();
    }

    @Test
    void pausedLeaderDoesNotBelieveItLeadsWhenItWakes() {
        standBoth();
        processes.time.pause(Duration.ofSeconds(11));
        assertThat(here.isLeader()).isFalse();
        assertThat(here.term()).isEmpty();
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(there.isLeader()).isTrue();
        assertThat(told).containsSubsequence("here deposed").doesNotHaveDuplicates();
    }

    @Test
    void deposedByForceItStandsAgain() {
        standBoth();
        processes.there.lock("reports").forceRelease(tokens.get(0));
        processes.time.pass(Duration.ofSeconds(5));
        assertThat(there.isLeader()).isTrue();
        assertThat(told).contains("here deposed");
        there.close();
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(here.isLeader()).isTrue();
    }

    @Test
    void closingWithdrawsACandidateThatWaits() {
        standBoth();
        there.close();
        processes.time.runCallbacks();
        here.close();
        processes.time.runCallbacks();
        assertThat(told).containsExactly("here elected", "here deposed");
        assertThat(processes.here.lock("reports").inspect().isFree()).isTrue();
        assertThat(processes.here.lock("reports").inspect().waiters()).isZero();
        here.close();
        assertThat(here.resign()).isCompleted();
    }

    @Test
    void closingTheHoldfastTellsTheLeaderAndLetsTheNextIn() {
        standBoth();
        processes.here.close();
        processes.time.runCallbacks();
        assertThat(told).containsExactly("here elected", "here deposed", "there elected");
        assertThatThrownBy(() -> here.start(listener("again", there))).hasMessageContaining("closed");
    }

    @Test
    void candidateThatNobodyRefersToKeepsLeading() {
        processes.here.election("dropped").start(listener("dropped", there));
        processes.time.runCallbacks();
        System.gc();
        processes.time.pass(Duration.ofMinutes(1));
        assertThat(told).containsExactly("dropped elected");
        assertThat(processes.there.lock("dropped").tryAcquire()).isEmpty();
    }

    @Test
    void listenerThatThrowsIsLoggedAndDoesNotStopTheElection() {
        try (LogCapture log = new LogCapture()) {
            here.start(new LeaderElection.Listener() {
                @Override
                public void onElected(Lease term) {
                    throw new IllegalStateException("no");
                }

                @Override
                public void onRevoked(Lease term) {
                    throw new IllegalStateException("no");
                }
            });
            there.start(listener("there", here));
            processes.time.runCallbacks();
            var unused = here.resign();
            processes.time.runCallbacks();
            assertThat(told).containsExactly("there elected");
            assertThat(log.messages()).anyMatch(line -> line.contains("The listener of the election 'reports' threw"));
        }
    }

    @Test
    void logThatFailsDoesNotEndTheElection() {
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord line) {
                throw new IllegalStateException("planted: the log is full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("io.holdfast");
        log.addHandler(broken);
        try {
            here.start(new LeaderElection.Listener() {
                @Override
                public void onElected(Lease term) {
                    told.add("elected");
                    throw new IllegalStateException("no");
                }

                @Override
                public void onRevoked(Lease term) {
                    told.add("deposed");
                }
            });
            processes.time.runCallbacks();
            var unused = here.resign();
            processes.time.runCallbacks();

            assertThat(told).containsExactly("elected", "deposed", "elected");
        } finally {
            log.removeHandler(broken);
        }
    }

    @Test
    void termThatWasLostBeforeTheListenerCouldBeCalledIsLeftOut() {
        here.start(listener("here", there));
        processes.time.pause(Duration.ofSeconds(11));
        processes.time.runCallbacks();

        assertThat(told).containsExactly("here elected");
        assertThat(here.term())
                .hasValueSatisfying(term -> assertThat(term.token()).isEqualTo(tokens.get(0)));
    }

    @Test
    void termThatWasResignedBeforeTheListenerCouldBeCalledIsLeftOut() {
        here.start(listener("here", there));
        there.start(listener("there", here));
        CompletableFuture<Void> resigned = here.resign();
        processes.time.runCallbacks();

        assertThat(resigned).isCompleted();
        assertThat(told).containsExactly("there elected");
    }

    /** Without a queue in the store, the others poll: who resigns must leave them the time for it. */
    @Test
    void resigningOnAStoreWithoutAQueueLetsTheOthersLead() {
        LockStore queued = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), processes.time.environment());
        LockStore polled =
                new WaitingStore(new PolledStore(queued), processes.time.environment(), Duration.ofSeconds(1));
        LeaderElection first =
                processes.holdfast(new FaultyStore(polled), 64, event -> {}).election("seat");
        LeaderElection second =
                processes.holdfast(new FaultyStore(polled), 64, event -> {}).election("seat");
        first.start(listener("first", second));
        processes.time.runCallbacks();
        second.start(listener("second", first));
        processes.time.pass(Duration.ofSeconds(5));

        for (int round = 0; round < 10; round++) {
            LeaderElection leader = first.isLeader() ? first : second;
            LeaderElection other = first.isLeader() ? second : first;
            var unused = leader.resign();
            processes.time.pass(Duration.ofMillis(1_500));
            assertThat(other.isLeader()).isTrue();
            processes.time.pass(Duration.ofSeconds(5));
        }
        second.close();
        first.close();
        processes.time.runCallbacks();
    }

    @Test
    void onlyCandidateThatResignsStandsAgain() {
        LockStore queued = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), processes.time.environment());
        LockStore polled =
                new WaitingStore(new PolledStore(queued), processes.time.environment(), Duration.ofSeconds(1));
        LeaderElection only =
                processes.holdfast(new FaultyStore(polled), 64, event -> {}).election("seat");
        only.start(listener("only", there));
        processes.time.runCallbacks();
        var unused = only.resign();
        processes.time.pass(Duration.ofSeconds(3));

        assertThat(told).containsExactly("only elected", "only deposed", "only elected");
    }

    @Test
    void standingTwiceIsRefused() {
        here.start(listener("here", there));
        assertThatThrownBy(() -> here.start(listener("here", there)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The candidate for 'reports' has been started already. Make another with election().");
        there.close();
        assertThatThrownBy(() -> there.start(listener("there", here))).hasMessageContaining("is closed");
    }

    @Test
    void nameOfAnotherKindIsLoggedAndTriedAgain() {
        Lease permit = processes.there.semaphore("reports", 2).acquire();
        try (LogCapture log = new LogCapture()) {
            here.start(listener("here", there));
            processes.time.runCallbacks();
            assertThat(log.messages())
                    .anyMatch(line -> line.contains("Leader election 'reports': the acquisition failed"));
        }
        permit.close();
        processes.time.pass(Duration.ofSeconds(15));
        assertThat(here.isLeader()).isTrue();
    }
}
