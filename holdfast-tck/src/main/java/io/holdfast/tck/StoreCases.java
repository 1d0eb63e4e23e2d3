package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a binding says about its store, and the first half of the cases: everything that one name and one claim can do. */
abstract class StoreCases {

    private final List<Client> clients = new ArrayList<>();
    private final String prefix = "tck:" + UUID.randomUUID() + ":";

    /** Opens another client of the store, as another process would. */
    protected abstract LockStore open(Environment environment);

    /** A lease that a test can wait for; several times the store's usual answer time. */
    protected Duration shortLease() {
        return Duration.ofMillis(400);
    }

    /** How long to wait for what must come; generous, because a slow machine is no bug. */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** How many commands all clients have sent since the store was started, if the binding can count them. */
    protected OptionalLong commandsSent() {
        return OptionalLong.empty();
    }

    /** Whether a request can be executed after one that was sent later, or after its sender gave up on it. */
    protected boolean requestsCanOvertake() {
        return true;
    }

    /**
     * How another process opens the store of this test, so that the kit can start some; empty if no other process can reach it.
     * A client is opened in this process first, so there is no need to create tables.
     */
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.empty();
    }

    /** A client of the store under test; closed after the case. */
    final Client client() {
        Client client = new Client("client-" + (clients.size() + 1), patience(), this::open);
        clients.add(client);
        return client;
    }

    @AfterEach
    void closeClients() {
        clients.forEach(Client::close);
    }

    final String name(String text) {
        return prefix + text;
    }

    static Duration longLease() {
        return Duration.ofSeconds(60);
    }

    final Capabilities capabilities(Client client) {
        return client.store().capabilities();
    }

    /** On the monotonic clock, without sleeping through it. */
    static void letPass(Duration duration) {
        long end = Ticker.system().nanos() + duration.toNanos();
        while (Ticker.system().nanos() - end < 0) {
            Thread.onSpinWait();
        }
    }

    final void awaitWaiters(Client observer, String lock, int count) {
        long end = Ticker.system().nanos() + patience().toNanos();
        int seen = -1;
        while (seen < count && Ticker.system().nanos() - end < 0) {
            List<LockInfo> infos = observer.await(observer.store().inspect(NameFilter.exactly(lock)));
            seen = infos.isEmpty() ? 0 : infos.get(0).waiters();
        }
        assertThat(seen).as("claims that wait").isEqualTo(count);
    }

    /** A process of its own on the store of {@code client}. */
    final Holdfast engine(Client client, LockStore store) {
        return Holdfast.builder(store)
                .environment(client.environment())
                .defaults(LockOptions.builder().maxWait(patience()).build())
                .shutdownGrace(Duration.ZERO)
                .build();
    }

    static long lastToken(Grant grant) {
        return grant.firstToken() + grant.tokens() - 1;
    }

    @Nested
    @DisplayName("Mutual exclusion")
    class MutualExclusion {

        @Test
        void aFreeNameIsGranted() {
            Client one = client();

            Optional<Grant> grant = one.attempt(name("free"), longLease());

            assertThat(grant).isPresent();
            assertThat(grant.orElseThrow().lease())
                    .isLessThanOrEqualTo(longLease())
                    .isPositive();
            assertThat(grant.orElseThrow().tokens()).isBetween(1, 8);
        }

        @Test
        void aHeldNameIsRefused() {
            Client one = client();
            Client two = client();
            one.acquire(name("held"), longLease());

            assertThat(two.attempt(name("held"), longLease())).isEmpty();
            assertThat(one.attempt(name("held"), longLease())).isEmpty();
        }

        @Test
        void namesDoNotDisturbEachOther() {
            Client one = client();
            Client two = client();
            one.acquire(name("a"), longLease());

            assertThat(two.attempt(name("b"), longLease())).isPresent();
        }

        @Test
        void threadsOfSeveralProcessesTakeTurns() throws Exception {
            Contention contention = new Contention(name("turns"), 3, 4, 30);

            contention.run(StoreCases.this::client);

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.sections()).isEqualTo(3 * 4 * 30);
            assertThat(contention.counter()).isEqualTo(3 * 4 * 30);
        }
    }

    @Nested
    @DisplayName("Processes")
    class Processes {

        @Test
        void takeTurnsAndOneThatDiesIsFollowedByTheOthers() throws Exception {
            StoreAddress address = addressForOtherProcesses()
                    .orElseGet(() -> abort("the binding says no address at which other processes reach this store"));
            ProcessContention contention = new ProcessContention(name("processes"), address);

            contention.run(client(), shortLease());

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.sections()).isPositive();
        }
    }

    @Nested
    @DisplayName("Claims")
    class Claims {

        @Test
        void aGrantedClaimThatAsksAgainFindsItsOwnGrant() {
            Client one = client();
            // Not so short that it could end meanwhile.
            Duration lease = shortLease().multipliedBy(10);
            Claim claim = one.claim(name("again"), Claim.Mode.WAIT, lease);
            Grant first = one.granted(one.store().acquire(claim));
            Moment answered = Ticker.system().now();
            letPass(shortLease().dividedBy(2));

            Grant second = one.granted(one.store().acquire(claim));

            assertThat(second.firstToken()).isEqualTo(first.firstToken());
            assertThat(second.tokens()).isEqualTo(first.tokens());
            assertThat(second.countsFrom().nanos() + second.lease().toNanos())
                    .as("its end: what is left, not a new lease; give or take the grain of a clock")
                    .isLessThanOrEqualTo(answered.nanos()
                            + lease.toNanos()
                            + Duration.ofMillis(5).toNanos());
        }

        @Test
        void aClaimReleasedBeforeItArrivesIsNotGranted() {
            assumeTrue(requestsCanOvertake(), "requests to this store cannot overtake each other");
            Client one = client();
            for (Claim.Mode mode : Claim.Mode.values()) {
                Claim claim = one.claim(name("ghost"), mode, longLease());
                one.await(one.store().release(claim));

                CompletableFuture<Optional<Grant>> late = one.store().acquire(claim);
                one.await(late.exceptionally(refused -> Optional.empty()));

                Grant next = one.attempt(name("ghost"), longLease()).orElseThrow();
                one.release(next);
            }
        }
    }

    @Nested
    @DisplayName("Expiry")
    class Expiry {

        @Test
        void aLeaseEndsByItselfAndNotBefore() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("ends"), shortLease());

            two.acquire(name("ends"), longLease());

            long waited = first.countsFrom().nanosUntil(Ticker.system().now());
            assertThat(Duration.ofNanos(waited)).isGreaterThanOrEqualTo(first.lease());
        }

        @Test
        void holdersWhoseLeasesRunOutUnderContentionAreKeptApart() throws Exception {
            LeaseContention contention = new LeaseContention(
                    name("run-out"),
                    LeaseContention.Kind.EXCLUSIVE,
                    shortLease().dividedBy(4),
                    6,
                    LeaseContention.Ending.RUN_OUT,
                    LeaseContention.Ending.RELEASE,
                    LeaseContention.Ending.RENEW,
                    LeaseContention.Ending.OUTLIVE,
                    LeaseContention.Ending.RELEASE,
                    LeaseContention.Ending.RELEASE);

            contention.run(StoreCases.this::client);

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.grants()).isPositive();
        }

        @Test
        void aLeaseCountsFromTheSendingOfTheRequest() {
            Client one = client();
            List<Double> shares = new ArrayList<>();
            for (int i = 0; i < 51; i++) {
                Moment called = Ticker.system().now();
                Grant grant = one.acquire(name("sent"), longLease());
                long whole = Math.max(1, called.nanosUntil(Ticker.system().now()));
                shares.add((grant.countsFrom().nanos() - called.nanos()) / (double) whole);
                one.release(grant);
            }
            Collections.sort(shares);

            assertThat(shares.get(25))
                    .as("where between call (0) and answer (1) the lease is counted from, median of 51")
                    .isLessThan(0.9);
        }
    }

    @Nested
    @DisplayName("Tokens")
    class Tokens {

        @Test
        void growFromGrantToGrant() {
            Client one = client();
            Client two = client();
            long last = 0;
            for (int i = 0; i < 20; i++) {
                Client each = i % 2 == 0 ? one : two;
                Grant grant = each.acquire(name("grow"), longLease());
                assertThat(grant.firstToken()).isGreaterThan(last);
                last = lastToken(grant);
                each.release(grant);
            }
        }

        @Test
        void growAcrossExpiry() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("expired"), shortLease());

            Grant second = two.acquire(name("expired"), longLease());

            assertThat(second.firstToken()).isGreaterThan(lastToken(first));
        }

        @Test
        void growAcrossRevocation() {
            Client one = client();
            Grant first = one.acquire(name("revoked"), longLease());
            one.await(one.store().revoke(name("revoked"), first.firstToken()));

            Grant second = one.acquire(name("revoked"), longLease());

            assertThat(second.firstToken()).isGreaterThan(lastToken(first));
        }
    }

    @Nested
    @DisplayName("RenewalRequest")
    class Renewals {

        @Test
        void keepsALeaseBeyondItsTime() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("kept"), shortLease());
            long end = grant.countsFrom().nanos() + 3 * shortLease().toNanos();
            while (Ticker.system().nanos() - end < 0) {
                assertThat(one.renew(grant, longLease())).isEqualTo(RenewalRequest.Outcome.KEPT);
                assertThat(two.attempt(name("kept"), longLease())).isEmpty();
            }
        }

        @Test
        void neverBringsBackALeaseThatIsOver() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("over"), shortLease());
            Grant second = two.acquire(name("over"), longLease());

            assertThat(one.renew(first, longLease())).isEqualTo(RenewalRequest.Outcome.GONE);
            assertThat(two.renew(second, longLease())).isEqualTo(RenewalRequest.Outcome.KEPT);
            assertThat(one.attempt(name("over"), longLease())).isEmpty();
        }

        @Test
        void neverShortens() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("long"), longLease());
            assertThat(one.renew(grant, shortLease())).isEqualTo(RenewalRequest.Outcome.KEPT);
            long end = Ticker.system().nanos() + 2 * shortLease().toNanos();
            boolean isOver = false;
            while (!isOver) {
                // Read first, so that there is an attempt after the end, however slow the machine is.
                isOver = Ticker.system().nanos() - end >= 0;
                assertThat(two.attempt(name("long"), longLease())).isEmpty();
            }
        }

        @Test
        void answersABatchInItsOrder() {
            Client one = client();
            Grant held = one.acquire(name("batch-1"), longLease());
            Grant gone = one.acquire(name("batch-2"), longLease());
            Grant alsoHeld = one.acquire(name("batch-3"), longLease());
            one.release(gone);

            List<RenewalRequest.Outcome> outcomes = one.await(one.store()
                    .renew(List.of(
                            new RenewalRequest(held.claim(), longLease()),
                            new RenewalRequest(gone.claim(), longLease()),
                            new RenewalRequest(alsoHeld.claim(), longLease()))));

            assertThat(outcomes)
                    .containsExactly(
                            RenewalRequest.Outcome.KEPT, RenewalRequest.Outcome.GONE, RenewalRequest.Outcome.KEPT);
        }
    }

    @Nested
    @DisplayName("Release")
    class Releases {

        @Test
        void freesTheName() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("freed"), longLease());

            assertThat(one.release(grant)).isTrue();
            assertThat(two.attempt(name("freed"), longLease())).isPresent();
        }

        @Test
        void ofALeaseThatIsOverTouchesNobody() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("stale"), shortLease());
            Grant second = two.acquire(name("stale"), longLease());

            assertThat(one.release(first)).isFalse();
            assertThat(one.attempt(name("stale"), longLease())).isEmpty();
            assertThat(two.release(second)).isTrue();
        }

        @Test
        void ofAWaitingClaimWithdrawsIt() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("withdrawn"), longLease());
            Claim waiting = two.claim(name("withdrawn"), Claim.Mode.WAIT, longLease());
            CompletableFuture<Optional<Grant>> unused = two.store().acquire(waiting);

            assertThat(two.await(two.store().release(waiting))).isFalse();
            one.release(grant);

            assertThat(one.attempt(name("withdrawn"), longLease())).isPresent();
        }

        @Test
        void canBeRepeatedUntilItIsAnswered() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("repeated"), longLease());
            boolean answered = false;
            for (int i = 0; i < 10 && !answered; i++) {
                CompletableFuture<Boolean> release = one.store().release(grant.claim());
                answered = release.handle((held, failure) -> failure == null).join();
            }

            assertThat(answered).isTrue();
            assertThat(one.release(grant)).as("once more, when it is over").isFalse();
            assertThat(two.attempt(name("repeated"), longLease())).isPresent();
        }
    }
}
