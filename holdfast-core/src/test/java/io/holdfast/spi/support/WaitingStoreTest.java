package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // what the store does is seen elsewhere
class WaitingStoreTest {

    private static final Duration POLL = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final Scripted script = new Scripted();
    private final WaitingStore store = new WaitingStore(script, time.environment(), POLL);

    @Test
    void hintMakesTheClaimAskAtOnce() {
        CompletableFuture<Optional<Grant>> answer = store.acquire(claim(1));
        script.next = this::granted;
        script.freed.accept("a");

        assertThat(answer).isCompleted();
    }

    @Test
    void hintForAnotherNameDoesNot() {
        CompletableFuture<Optional<Grant>> answer = store.acquire(claim(1));
        script.next = this::granted;
        script.freed.accept("b");

        assertThat(answer).isNotDone();
    }

    @Test
    void hintDuringAnAttemptIsNotLost() {
        CompletableFuture<Attempt> slow = new CompletableFuture<>();
        script.next = () -> slow;
        CompletableFuture<Optional<Grant>> answer = store.acquire(claim(1));
        script.next = this::granted;
        script.freed.accept("a");
        assertThat(script.asked).hasSize(1);

        slow.complete(new Attempt.Busy(Duration.ofDays(1)));

        assertThat(answer).isCompleted();
        assertThat(script.asked).hasSize(2);
    }

    @Test
    void claimAsksAgainAtTheKnownExpiryAndAfterThePoll() {
        script.next = () -> CompletableFuture.completedFuture(new Attempt.Busy(Duration.ofMillis(10)));
        store.acquire(claim(1));
        time.pass(Duration.ofMillis(10));
        assertThat(script.asked).as("at the expiry").hasSize(2);

        script.next = () -> CompletableFuture.completedFuture(new Attempt.Busy(Duration.ofSeconds(Long.MAX_VALUE)));
        time.pass(Duration.ofMillis(10));
        int before = script.asked.size();
        time.pass(POLL);
        assertThat(script.asked.size()).as("after the poll").isGreaterThan(before);
    }

    @Test
    void storeThatThrowsFailsTheClaimAndLeavesNothing() {
        store.acquire(claim(1));
        script.next = () -> {
            throw new NoClassDefFoundError("planted");
        };
        CompletableFuture<Optional<Grant>> second = store.acquire(claim(2));
        assertThat(second).isCompletedExceptionally();
        time.pass(POLL);

        script.next = this::granted;
        assertThat(store.acquire(claim(3))).isCompleted();
        assertThat(time.timers()).as("nobody polls any more").isZero();
    }

    @Test
    void grantThatComesAfterTheReleaseIsReleasedAgain() {
        CompletableFuture<Attempt> slow = new CompletableFuture<>();
        script.next = () -> slow;
        Claim claim = claim(1);
        store.acquire(claim);
        store.release(claim);
        slow.complete(new Attempt.Granted(grant(claim)));

        assertThat(script.released).containsExactly(claim.id(), claim.id());
    }

    @Test
    void releasedClaimStopsAsking() {
        Claim claim = claim(1);
        store.acquire(claim);
        store.release(claim);
        time.pass(POLL.multipliedBy(3));

        assertThat(script.asked).hasSize(1);
        assertThat(time.timers()).isZero();
    }

    private CompletableFuture<Attempt> granted() {
        return CompletableFuture.completedFuture(new Attempt.Granted(grant(script.asked.get(script.asked.size() - 1))));
    }

    private Grant grant(Claim claim) {
        return new Grant(claim, 1, 1, time.now(), claim.lease());
    }

    private static Claim claim(long sequence) {
        return new Claim(
                "a",
                new ClaimId(1, sequence),
                Claim.Mode.WAIT,
                1,
                1,
                Duration.ofSeconds(10),
                1,
                new Owner("host", 1, "", ""));
    }

    /** Answers as it is told. */
    private static final class Scripted implements AttemptStore {
        private final List<Claim> asked = new ArrayList<>();
        private final List<ClaimId> released = new ArrayList<>();
        private Supplier<CompletableFuture<Attempt>> next =
                () -> CompletableFuture.completedFuture(new Attempt.Busy(Duration.ofHours(1)));
        private Consumer<String> freed = name -> {};

        @Override
        public CompletableFuture<Attempt> attempt(Claim claim) {
            asked.add(claim);
            return next.get();
        }

        @Override
        public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Boolean> release(Claim claim) {
            released.add(claim.id());
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Boolean> revoke(String name, long token) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities("scripted", Capabilities.Queue.NONE, Capabilities.Sharing.EXCLUSIVE_ONLY);
        }

        @Override
        public void onHint(Consumer<String> listener) {
            freed = listener;
        }

        @Override
        public void close() {}
    }
}
