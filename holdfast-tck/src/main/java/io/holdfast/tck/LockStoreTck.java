package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store. A binding extends this and says how to open a client; every client that one test opens must be
 * of one and the same store. Cases that a store cannot have are skipped with a reason, never passed: so is the one with real
 * processes, unless the binding overrides {@link #addressForOtherProcesses()}.
 *
 * <pre>{@code
 * class MyStoreTckTest extends LockStoreTck {
 *     protected LockStore open(Environment environment) {
 *         return new MyStore(server.address(), environment);
 *     }
 * }
 * }</pre>
 */
public abstract class LockStoreTck extends ShorteningCases {

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
            assertThat(one.await(one.store().inspect(NameFilter.exactly(name("queue"))))
                            .get(0)
                            .queue())
                    .as("the queue as an inspection shows it")
                    .allMatch(waiting -> !waiting.waited().isNegative())
                    .extracting(LockInfo.Waiting::owner)
                    .containsExactlyElementsOf(
                            waiters.stream().map(Client::owner).toList());
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
        void aWaitingClaimThatAsksAgainKeepsItsPlace() {
            Client one = client();
            Client two = client();
            Client three = client();
            assumeTrue(capabilities(one).queue() == Capabilities.Queue.FIFO, "the store keeps no queue");
            Grant grant = one.acquire(name("place"), longLease());
            Claim second = two.claim(name("place"), Claim.Mode.WAIT, longLease());
            CompletableFuture<Optional<Grant>> unused = two.store().acquire(second);
            awaitWaiters(one, name("place"), 1);
            CompletableFuture<Optional<Grant>> third =
                    three.store().acquire(three.claim(name("place"), Claim.Mode.WAIT, longLease()));
            awaitWaiters(one, name("place"), 2);
            CompletableFuture<Optional<Grant>> again = two.store().acquire(second);
            awaitWaiters(one, name("place"), 2);
            one.release(grant);

            Grant next = two.granted(again);
            assertThat(third).isNotDone();
            two.release(next);
            three.release(three.granted(third));
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

            boolean queued = capabilities(one).queue() == Capabilities.Queue.FIFO;
            if (queued) {
                awaitWaiters(one, name("seen"), 1);
            }

            LockInfo info = one.await(two.store().inspect(NameFilter.exactly(name("seen"))))
                    .get(0);

            assertThat(info.name()).isEqualTo(name("seen"));
            assertThat(info.waiters()).isEqualTo(queued ? 1 : 0);
            assertThat(info.queue())
                    .extracting(LockInfo.Waiting::owner)
                    .isEqualTo(queued ? List.of(two.owner()) : List.of());
            assertThat(info.kind()).isEqualTo(LockInfo.Kind.LOCK);
            assertThat(info.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).isEqualTo(grant.claim().owner());
                assertThat(holder.token()).isEqualTo(grant.firstToken());
                assertThat(holder.tokenCount()).isEqualTo(grant.tokens());
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
            one.acquire(name("m%:1"), longLease());
            one.acquire(name("m_ny:1"), longLease());

            assertThat(one.await(one.store().inspect(NameFilter.startingWith(name("many:"), 10))))
                    .hasSize(5)
                    .allMatch(info -> info.name().startsWith(name("many:")));
            assertThat(one.await(one.store().inspect(NameFilter.startingWith(name("many:"), 3))))
                    .hasSize(3);
            for (String wild : List.of("m%:", "m_ny:")) {
                assertThat(one.await(one.store().inspect(NameFilter.startingWith(name(wild), 10))))
                        .as("names that begin with '%s', which is no pattern", wild)
                        .hasSize(1);
            }
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
            assertThat(one.renew(first, longLease())).isEqualTo(RenewalRequest.Outcome.GONE);

            Grant second = two.acquire(name("force"), longLease());
            assertThat(one.await(one.store().revoke(name("force"), first.firstToken())))
                    .isFalse();
            assertThat(two.renew(second, longLease())).isEqualTo(RenewalRequest.Outcome.KEPT);
        }

        @Test
        void findsTheHolderByEveryTokenOfItsBlock() {
            Client one = client();
            Client two = client();
            Grant grant = one.acquire(name("block"), longLease());
            for (long outside : List.of(grant.firstToken() - 1, lastToken(grant) + 1)) {
                assertThat(two.await(two.store().revoke(name("block"), outside)))
                        .as("revocation of token %s, of none of %s", outside, grant)
                        .isFalse();
            }
            assertThat(one.renew(grant, longLease())).isEqualTo(RenewalRequest.Outcome.KEPT);

            assertThat(two.await(two.store().revoke(name("block"), lastToken(grant))))
                    .isTrue();
            assertThat(one.renew(grant, longLease())).isEqualTo(RenewalRequest.Outcome.GONE);
        }

        @Test
        void renewalAndReleaseAtOnceEndALeaseOnce() throws Exception {
            LeaseContention contention = new LeaseContention(
                    name("race"),
                    LeaseContention.Kind.EXCLUSIVE,
                    longLease(),
                    8,
                    LeaseContention.Ending.REVOKE,
                    LeaseContention.Ending.REVOKE,
                    LeaseContention.Ending.RENEW,
                    LeaseContention.Ending.RELEASE);

            contention.run(LockStoreTck.this::client);

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.grants()).isPositive();
        }
    }

    @Nested
    @DisplayName("Under the engine")
    class UnderTheEngine {

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
