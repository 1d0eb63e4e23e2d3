package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Renewal;
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

/**
 * The contract of a store. A binding extends this and says how to open a client; every client that one test opens must be
 * of one and the same store. Cases that a store cannot have are skipped with a reason, never passed.
 */
public abstract class LockStoreTck {

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

    /** A client of the store under test; closed after the case. */
    protected final Client client() {
        Client client = new Client("client-" + (clients.size() + 1), patience(), this::open);
        clients.add(client);
        return client;
    }

    @AfterEach
    void closeClients() {
        clients.forEach(Client::close);
    }

    private String name(String text) {
        return prefix + text;
    }

    private static Duration longLease() {
        return Duration.ofSeconds(60);
    }

    private Capabilities capabilities(Client client) {
        return client.store().capabilities();
    }

    private static long lastToken(Grant grant) {
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

            contention.run(LockStoreTck.this::client);

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.sections()).isEqualTo(3 * 4 * 30);
            assertThat(contention.counter()).isEqualTo(3 * 4 * 30);
        }
    }

    @Nested
    @DisplayName("Claims")
    class Claims {

        @Test
        void aGrantedClaimThatAsksAgainFindsItsOwnGrant() {
            Client one = client();
            Claim claim = one.claim(name("again"), Claim.Mode.WAIT, longLease());

            Grant first = one.granted(one.store().acquire(claim));
            Grant second = one.granted(one.store().acquire(claim));

            assertThat(second.firstToken()).isEqualTo(first.firstToken());
            assertThat(second.tokens()).isEqualTo(first.tokens());
            assertThat(second.countsFrom().nanos() + second.lease().toNanos())
                    .as("what is left, not a new lease")
                    .isLessThanOrEqualTo(first.countsFrom().nanos()
                            + first.lease().toNanos()
                            + Duration.ofSeconds(2).toNanos());
        }

        @Test
        void aClaimReleasedBeforeItArrivesIsNotGranted() {
            assumeTrue(requestsCanOvertake(), "requests to this store cannot overtake each other");
            Client one = client();
            Claim claim = one.claim(name("ghost"), Claim.Mode.TRY, longLease());
            one.await(one.store().release(claim));

            CompletableFuture<Optional<Grant>> late = one.store().acquire(claim);
            late.exceptionally(refused -> Optional.empty()).join();

            assertThat(one.attempt(name("ghost"), longLease())).isPresent();
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
    @DisplayName("Renewal")
    class Renewals {

        @Test
        void keepsALeaseBeyondItsTime() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("kept"), shortLease());
            long end = grant.countsFrom().nanos() + 3 * shortLease().toNanos();
            while (Ticker.system().nanos() - end < 0) {
                assertThat(one.renew(grant, longLease())).isEqualTo(Renewal.Outcome.KEPT);
                assertThat(two.attempt(name("kept"), longLease())).isEmpty();
            }
        }

        @Test
        void neverBringsBackALeaseThatIsOver() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("over"), shortLease());
            Grant second = two.acquire(name("over"), longLease());

            assertThat(one.renew(first, longLease())).isEqualTo(Renewal.Outcome.GONE);
            assertThat(two.renew(second, longLease())).isEqualTo(Renewal.Outcome.KEPT);
            assertThat(one.attempt(name("over"), longLease())).isEmpty();
        }

        @Test
        void neverShortens() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("long"), longLease());
            assertThat(one.renew(grant, shortLease())).isEqualTo(Renewal.Outcome.KEPT);
            long end = Ticker.system().nanos() + 2 * shortLease().toNanos();
            while (Ticker.system().nanos() - end < 0) {
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

            List<Renewal.Outcome> outcomes = one.await(one.store()
                    .renew(List.of(
                            new Renewal(held.claim(), longLease()),
                            new Renewal(gone.claim(), longLease()),
                            new Renewal(alsoHeld.claim(), longLease()))));

            assertThat(outcomes).containsExactly(Renewal.Outcome.KEPT, Renewal.Outcome.GONE, Renewal.Outcome.KEPT);
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
            assertThat(two.attempt(name("repeated"), longLease())).isPresent();
        }
    }

    @Nested
    @DisplayName("Hand-off")
    class HandOff {

        @Test
        void aReleaseWakesTheWaiter() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("woken"), longLease());
            CompletableFuture<Optional<Grant>> waiting =
                    two.store().acquire(two.claim(name("woken"), Claim.Mode.WAIT, longLease()));
            assertThat(waiting).isNotDone();

            one.release(grant);

            assertThat(two.granted(waiting).firstToken()).isGreaterThan(lastToken(grant));
        }

        @Test
        void aRevocationWakesTheWaiter() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("broken"), longLease());
            CompletableFuture<Optional<Grant>> waiting =
                    two.store().acquire(two.claim(name("broken"), Claim.Mode.WAIT, longLease()));

            one.await(one.store().revoke(name("broken"), grant.firstToken()));

            assertThat(two.granted(waiting).firstToken()).isGreaterThan(lastToken(grant));
        }

        @Test
        void waitersAreServedInTheOrderOfTheirArrival() {
            Client one = client();
            assumeTrue(capabilities(one).queue() == Capabilities.Queue.FIFO, "the store keeps no queue");
            Grant grant = one.acquire(name("queue"), longLease());
            List<Client> waiters = new ArrayList<>();
            List<CompletableFuture<Optional<Grant>>> answers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Client waiter = client();
                waiters.add(waiter);
                answers.add(waiter.store().acquire(waiter.claim(name("queue"), Claim.Mode.WAIT, longLease())));
                awaitWaiters(one, name("queue"), i + 1);
            }
            one.release(grant);
            long last = lastToken(grant);
            for (int i = 0; i < 5; i++) {
                Grant next = waiters.get(i).granted(answers.get(i));
                assertThat(next.firstToken()).isGreaterThan(last);
                last = lastToken(next);
                waiters.get(i).release(next);
            }
        }

        @Test
        void anAttemptDoesNotOvertakeTheQueue() {
            Client one = client();
            Client two = client();
            assumeTrue(capabilities(one).queue() == Capabilities.Queue.FIFO, "the store keeps no queue");
            Grant first = one.acquire(name("overtake"), longLease(), 1, 2);
            CompletableFuture<Optional<Grant>> large =
                    two.store().acquire(two.claim(name("overtake"), Claim.Mode.WAIT, longLease(), 2, 2));
            awaitWaiters(one, name("overtake"), 1);

            Optional<Grant> small =
                    one.await(one.store().acquire(one.claim(name("overtake"), Claim.Mode.TRY, longLease(), 1, 2)));

            assertThat(small).as("one unit is free, but the head needs two").isEmpty();
            one.release(first);
            assertThat(two.granted(large).claim().units()).isEqualTo(2);
        }

        private void awaitWaiters(Client observer, String lock, int count) {
            long end = Ticker.system().nanos() + patience().toNanos();
            int seen = -1;
            while (seen < count && Ticker.system().nanos() - end < 0) {
                List<LockInfo> infos = observer.await(observer.store().inspect(NameFilter.exactly(lock)));
                seen = infos.isEmpty() ? 0 : infos.get(0).waiters();
            }
            assertThat(seen).as("claims that wait").isEqualTo(count);
        }
    }

    @Nested
    @DisplayName("Sharing")
    class Sharing {

        @Test
        void claimsShareWhatFitsAndNoMore() {
            Client one = client();
            assumeTrue(capabilities(one).sharing() == Capabilities.Sharing.UNITS, "exclusive claims only");
            one.acquire(name("shared"), longLease(), 2, 3);
            Grant second = one.acquire(name("shared"), longLease(), 1, 3);

            assertThat(one.await(one.store().acquire(one.claim(name("shared"), Claim.Mode.TRY, longLease(), 1, 3))))
                    .isEmpty();

            one.release(second);
            assertThat(one.await(one.store().acquire(one.claim(name("shared"), Claim.Mode.TRY, longLease(), 1, 3))))
                    .isPresent();
        }
    }

    @Nested
    @DisplayName("Load")
    class Load {

        @Test
        void commandsPerSectionDoNotGrowWithTheNumberOfWaiters() {
            Client observer = client();
            assumeTrue(commandsSent().isPresent(), "the binding cannot count commands");
            assumeTrue(capabilities(observer).queue() == Capabilities.Queue.FIFO, "the store keeps no queue");

            double few = commandsPerSection("few", 2);
            double many = commandsPerSection("many", 16);

            assertThat(many)
                    .as("commands per section with 16 waiters, with 2: %s", few)
                    .isLessThan(2 * few + 1);
        }

        private double commandsPerSection(String lock, int waiters) {
            Client holder = client();
            Grant grant = holder.acquire(name(lock), longLease());
            List<Client> others = new ArrayList<>();
            List<CompletableFuture<Optional<Grant>>> answers = new ArrayList<>();
            for (int i = 0; i < waiters; i++) {
                Client other = client();
                others.add(other);
                answers.add(other.store().acquire(other.claim(name(lock), Claim.Mode.WAIT, longLease())));
            }
            long before = commandsSent().orElseThrow();
            holder.release(grant);
            // In whatever order they are served.
            List<CompletableFuture<Boolean>> sections = new ArrayList<>();
            for (int i = 0; i < waiters; i++) {
                Client other = others.get(i);
                sections.add(answers.get(i)
                        .thenCompose(answer ->
                                other.store().release(answer.orElseThrow().claim())));
            }
            sections.forEach(holder::await);
            return (commandsSent().orElseThrow() - before) / (double) (waiters + 1);
        }
    }

    @Nested
    @DisplayName("Names")
    class Names {

        /** Pairs that a careless store takes for one another stand side by side. */
        private static final List<String> ODD = List.of(
                "case",
                "CASE",
                "Case",
                "tail",
                "tail ",
                " tail",
                "e\u0301",
                "\u00e9",
                "ß",
                "ss",
                "치킨",
                "치킨 ",
                "\uD83C\uDF4E",
                "{}",
                "{a}b",
                "}{",
                "%",
                "_",
                "*",
                "?",
                "[a]",
                "'",
                "\"",
                "\\",
                "/",
                "//",
                ".",
                "..",
                "a:b",
                "a:b:c",
                "0",
                "00",
                "null",
                "\u00a0x",
                "i",
                "I",
                "\u0131",
                "\u0130",
                "x".repeat(400));

        @Test
        void areExact() {
            Client one = client();
            List<Grant> grants = new ArrayList<>();
            for (String odd : ODD) {
                Optional<Grant> grant = one.attempt(name(odd), longLease());
                assertThat(grant)
                        .as("'%s' is free although its neighbours are held", odd)
                        .isPresent();
                grants.add(grant.orElseThrow());
            }
            for (String odd : ODD) {
                List<LockInfo> infos = one.await(one.store().inspect(NameFilter.exactly(name(odd))));
                assertThat(infos).extracting(LockInfo::name).containsExactly(name(odd));
            }
            grants.forEach(grant -> assertThat(one.release(grant)).isTrue());
        }
    }

    @Nested
    @DisplayName("Inspection")
    class Inspection {

        @Test
        void showsWhoHoldsAndHowManyWait() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("seen"), longLease());
            CompletableFuture<Optional<Grant>> waiting =
                    two.store().acquire(two.claim(name("seen"), Claim.Mode.WAIT, longLease()));

            LockInfo info = one.await(two.store().inspect(NameFilter.exactly(name("seen"))))
                    .get(0);

            assertThat(info.name()).isEqualTo(name("seen"));
            assertThat(info.waiters()).isEqualTo(capabilities(one).queue() == Capabilities.Queue.FIFO ? 1 : 0);
            assertThat(info.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).isEqualTo(grant.claim().owner());
                assertThat(holder.firstToken()).isEqualTo(grant.firstToken());
                assertThat(holder.tokens()).isEqualTo(grant.tokens());
                assertThat(holder.age()).isLessThan(longLease()).isGreaterThanOrEqualTo(Duration.ZERO);
                assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(longLease());
            });
            one.release(grant);
            two.release(two.granted(waiting));
            assertThat(one.await(one.store().inspect(NameFilter.exactly(name("seen")))))
                    .isEmpty();
        }

        @Test
        void findsNamesByTheirBeginningAndStopsAtTheLimit() {
            Client one = client();
            for (int i = 0; i < 5; i++) {
                one.acquire(name("many:" + i), longLease());
            }
            one.acquire(name("other"), longLease());

            assertThat(one.await(one.store().inspect(NameFilter.startingWith(name("many:"), 10))))
                    .hasSize(5)
                    .allMatch(info -> info.name().startsWith(name("many:")));
            assertThat(one.await(one.store().inspect(NameFilter.startingWith(name("many:"), 3))))
                    .hasSize(3);
        }

        @Test
        void leavesOutWhatHasExpired() {
            Client one = client();
            one.acquire(name("gone"), shortLease());
            long end = Ticker.system().nanos() + patience().toNanos();
            List<LockInfo> infos = one.await(one.store().inspect(NameFilter.exactly(name("gone"))));
            while (!infos.isEmpty() && Ticker.system().nanos() - end < 0) {
                infos = one.await(one.store().inspect(NameFilter.exactly(name("gone"))));
            }

            assertThat(infos).isEmpty();
        }
    }

    @Nested
    @DisplayName("Revocation")
    class Revocation {

        @Test
        void takesTheNameFromThatHolderOnly() {
            Client one = client();
            Client two = client();
            Grant first = one.acquire(name("force"), longLease());

            assertThat(two.await(two.store().revoke(name("force"), first.firstToken())))
                    .isTrue();
            assertThat(one.renew(first, longLease())).isEqualTo(Renewal.Outcome.GONE);

            Grant second = two.acquire(name("force"), longLease());
            assertThat(one.await(one.store().revoke(name("force"), first.firstToken())))
                    .isFalse();
            assertThat(two.renew(second, longLease())).isEqualTo(Renewal.Outcome.KEPT);
        }
    }

    @Nested
    @DisplayName("Under the engine")
    class UnderTheEngine {

        private Holdfast engine(Client client, LockStore store) {
            return Holdfast.builder(store)
                    .environment(client.environment())
                    .defaults(LockOptions.defaults().withMaxWait(patience()))
                    .shutdownGrace(Duration.ZERO)
                    .build();
        }

        @Test
        void anAnswerThatIsLostCostsNothing() {
            Client one = client();
            Client two = client();
            LosingStore losing = new LosingStore(one.store());
            try (Holdfast holdfast = engine(one, losing)) {
                for (int i = 0; i < 10; i++) {
                    losing.loseTheNextAnswers(2);
                    holdfast.lock(name("lost")).run(lease -> lease.ensureHeld());
                }
            }

            assertThat(losing.lost()).isEqualTo(20);
            Grant next = two.acquire(name("lost"), longLease());
            assertThat(next.firstToken()).isPositive();
        }

        @Test
        void nothingIsLeftBehind() {
            Client one = client();
            try (Holdfast holdfast = engine(one, one.store())) {
                for (int i = 0; i < 50; i++) {
                    holdfast.lock(name("used:" + i)).run(lease -> {});
                }

                assertThat(holdfast.inspect(name("used:"), 100)).isEmpty();
            }
        }
    }
}
