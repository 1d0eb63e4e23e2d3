package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The cases of names that several claims hold together: permits of a semaphore, readers and writers. */
abstract class SharingCases extends StoreCases {

    private static final int ALL = Claim.READ_WRITE;

    private Client sharingClient() {
        Client client = client();
        assumeTrue(
                capabilities(client).sharing() == Capabilities.Sharing.UNITS,
                "claims for some of many units are not for this store");
        return client;
    }

    private Client readingClient() {
        Client client = client();
        assumeTrue(capabilities(client).sharing().allows(ALL), "exclusive claims only");
        return client;
    }

    private Client queueingClient() {
        Client client = sharingClient();
        assumeTrue(capabilities(client).queue() == Capabilities.Queue.FIFO, "the store keeps no queue");
        return client;
    }

    private static Optional<Grant> attempt(Client client, String name, int units, int capacity) {
        return client.await(client.store().acquire(client.claim(name, Claim.Mode.TRY, longLease(), units, capacity)));
    }

    private static CompletableFuture<Optional<Grant>> waitFor(Client client, String name, int units, int capacity) {
        return client.store().acquire(client.claim(name, Claim.Mode.WAIT, longLease(), units, capacity));
    }

    @Nested
    @DisplayName("Permits")
    class Permits {

        @Test
        void claimsShareWhatFitsAndNoMore() {
            Client one = sharingClient();
            Client two = client();
            one.acquire(name("shared"), longLease(), 2, 3);
            Grant second = two.acquire(name("shared"), longLease(), 1, 3);
            assertThat(attempt(one, name("shared"), 1, 3)).isEmpty();

            two.release(second);

            assertThat(attempt(one, name("shared"), 1, 3)).isPresent();
        }

        @Test
        void clientsAtOnceNeverHoldMoreThanThereIs() throws Exception {
            sharingClient();
            SharingContention contention = new SharingContention(name("crowd"), 3, longLease());

            contention.run(SharingCases.this::client);

            assertThat(contention.violations()).isEmpty();
        }

        @Test
        void aLargeClaimIsNotOvertakenBySmallOnes() {
            Client one = queueingClient();
            Client two = client();
            Client three = client();
            Grant first = one.acquire(name("overtake"), longLease(), 1, 2);
            CompletableFuture<Optional<Grant>> large = waitFor(two, name("overtake"), 2, 2);
            awaitWaiters(one, name("overtake"), 1);

            assertThat(attempt(one, name("overtake"), 1, 2))
                    .as("one unit is free, but the head needs two")
                    .isEmpty();
            CompletableFuture<Optional<Grant>> small = waitFor(three, name("overtake"), 1, 2);
            awaitWaiters(one, name("overtake"), 2);
            assertThat(small).isNotDone();

            one.release(first);
            Grant both = two.granted(large);
            assertThat(both.claim().units()).isEqualTo(2);
            assertThat(small).isNotDone();
            two.release(both);
            three.release(three.granted(small));
        }

        @Test
        void oneReleaseServesAllThatFit() {
            Client one = sharingClient();
            Client two = client();
            Grant all = one.acquire(name("room"), longLease(), 3, 3);
            List<CompletableFuture<Optional<Grant>>> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiting.add(waitFor(two, name("room"), 1, 3));
            }

            one.release(all);

            List<Grant> inside = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                inside.add((Grant) two.await(CompletableFuture.anyOf(waiting.stream()
                        .map(answer -> answer.thenApply(Optional::orElseThrow))
                        .toArray(CompletableFuture[]::new))));
                waiting.removeIf(answer -> answer.isDone()
                        && answer.join()
                                .orElseThrow()
                                .claim()
                                .id()
                                .equals(inside.get(inside.size() - 1).claim().id()));
            }
            assertThat(waiting)
                    .singleElement()
                    .satisfies(last -> assertThat(last).isNotDone());
            two.release(inside.get(0));
            two.release(two.granted(waiting.get(0)));
        }

        @Test
        void unitsOfALeaseThatEndedComeBack() {
            Client one = sharingClient();
            Client two = client();
            one.acquire(name("dead"), shortLease(), 2, 3);

            assertThat(two.acquire(name("dead"), longLease(), 3, 3).claim().units())
                    .isEqualTo(3);
        }

        @Test
        void unitsComeBackOnceHoweverOftenTheyAreReleased() {
            Client one = sharingClient();
            Grant two = one.acquire(name("twice"), longLease(), 2, 4);
            one.acquire(name("twice"), longLease(), 2, 4);
            assertThat(one.release(two)).isTrue();
            assertThat(one.release(two)).isFalse();

            assertThat(attempt(one, name("twice"), 3, 4)).isEmpty();
            assertThat(attempt(one, name("twice"), 2, 4)).isPresent();
            assertThat(attempt(one, name("twice"), 1, 4)).isEmpty();
        }

        @Test
        void revocationBringsBackTheUnitsOfThatHolderOnly() {
            Client one = sharingClient();
            Client two = client();
            Grant first = one.acquire(name("force"), longLease(), 1, 2);
            Grant second = one.acquire(name("force"), longLease(), 1, 2);

            assertThat(two.await(two.store().revoke(name("force"), first.firstToken())))
                    .isTrue();

            assertThat(one.renew(second, longLease())).isEqualTo(RenewalRequest.Outcome.KEPT);
            assertThat(attempt(two, name("force"), 2, 2)).isEmpty();
            assertThat(attempt(two, name("force"), 1, 2)).isPresent();
        }

        @Test
        void unitsOfLeasesThatEndInEveryWayUnderContentionComeBackOnce() throws Exception {
            sharingClient();
            assertKeptApart("ended-units", LeaseContention.Kind.PERMITS);
        }

        @Test
        void tokenBlocksAreOfOneLeaseOnlyAndGrow() {
            Client one = sharingClient();
            Client two = client();
            Grant first = one.acquire(name("blocks"), longLease(), 1, 3);
            Grant beside = two.acquire(name("blocks"), longLease(), 2, 3);
            one.release(first);
            Grant again = one.acquire(name("blocks"), longLease(), 1, 3);
            CompletableFuture<Optional<Grant>> waiting = waitFor(two, name("blocks"), 1, 3);
            one.release(again);
            Grant promoted = two.granted(waiting);

            assertThat(beside.firstToken()).isGreaterThan(lastToken(first));
            assertThat(again.firstToken()).isGreaterThan(lastToken(beside));
            assertThat(promoted.firstToken()).isGreaterThan(lastToken(again));
        }

        @Test
        void anotherCapacityIsRefusedWhileTheNameIsInUse() {
            Client one = sharingClient();
            Client two = client();
            Grant grant = one.acquire(name("size"), longLease(), 1, 3);
            for (Claim.Mode mode : Claim.Mode.values()) {
                Claim other = two.claim(name("size"), mode, longLease(), 1, 4);
                assertThatThrownBy(() -> two.await(two.store().acquire(other)))
                        .hasCauseInstanceOf(RefusedException.class);
                two.await(two.store().release(other));
            }
            one.release(grant);

            two.release(two.acquire(name("size"), longLease(), 1, 4));
        }

        @Test
        void inspectionShowsWhatEveryHolderHas() {
            Client one = sharingClient();
            one.acquire(name("seen"), longLease(), 2, 5);
            one.acquire(name("seen"), longLease(), 1, 5);

            LockInfo info = one.await(one.store().inspect(NameFilter.exactly(name("seen"))))
                    .get(0);

            assertThat(info.kind()).isEqualTo(LockInfo.Kind.SEMAPHORE);
            assertThat(info.permits()).isEqualTo(5);
            assertThat(info.holders()).extracting(LockInfo.Holder::permits).containsExactlyInAnyOrder(1, 2);
        }
    }

    @Nested
    @DisplayName("Readers and writers")
    class ReadersAndWriters {

        @Test
        void readersShareAndAWriterIsAlone() {
            Client one = readingClient();
            Client two = client();
            Grant reader = one.acquire(name("book"), longLease(), 1, ALL);
            Grant other = two.acquire(name("book"), longLease(), 1, ALL);
            assertThat(attempt(one, name("book"), ALL, ALL)).isEmpty();
            one.release(reader);
            assertThat(attempt(one, name("book"), ALL, ALL)).isEmpty();
            two.release(other);

            Grant writer = attempt(one, name("book"), ALL, ALL).orElseThrow();

            assertThat(writer.firstToken()).isGreaterThan(Math.max(lastToken(reader), lastToken(other)));
            assertThat(attempt(two, name("book"), 1, ALL)).isEmpty();
            assertThat(attempt(two, name("book"), ALL, ALL)).isEmpty();
        }

        @Test
        void aReadersTokensAreAboveThoseOfEarlierWriters() {
            Client one = readingClient();
            Client two = client();
            Grant writer = one.acquire(name("versions"), longLease(), ALL, ALL);
            CompletableFuture<Optional<Grant>> waiting = waitFor(two, name("versions"), 1, ALL);
            one.release(writer);
            Grant promoted = two.granted(waiting);
            Grant beside = one.acquire(name("versions"), longLease(), 1, ALL);

            assertThat(promoted.firstToken()).isGreaterThan(lastToken(writer));
            assertThat(beside.firstToken()).isGreaterThan(lastToken(promoted));
        }

        @Test
        void keepApartWhenLeasesEndInEveryWayUnderContention() throws Exception {
            readingClient();
            assertKeptApart("ended-shares", LeaseContention.Kind.READERS_AND_WRITERS);
        }

        @Test
        void aWaitingWriterIsNotOvertakenByReaders() {
            Client one = queueingClient();
            Client two = client();
            Client three = client();
            Grant reader = one.acquire(name("starve"), longLease(), 1, ALL);
            CompletableFuture<Optional<Grant>> writer = waitFor(two, name("starve"), ALL, ALL);
            awaitWaiters(one, name("starve"), 1);
            assertThat(attempt(one, name("starve"), 1, ALL)).isEmpty();
            CompletableFuture<Optional<Grant>> late = waitFor(three, name("starve"), 1, ALL);
            awaitWaiters(one, name("starve"), 2);

            one.release(reader);

            Grant written = two.granted(writer);
            assertThat(late).isNotDone();
            two.release(written);
            three.release(three.granted(late));
        }

        @Test
        void aWriterBecomesAReaderWithoutLettingAnotherWriterIn() {
            Client one = queueingClient();
            Client two = client();
            Client three = client();
            Grant writer = one.acquire(name("down"), longLease(), ALL, ALL);
            CompletableFuture<Optional<Grant>> reader = waitFor(two, name("down"), 1, ALL);
            awaitWaiters(one, name("down"), 1);
            CompletableFuture<Optional<Grant>> next = waitFor(three, name("down"), ALL, ALL);
            awaitWaiters(one, name("down"), 2);

            RenewalRequest fewer = new RenewalRequest(writer.claim().withUnits(1), longLease());
            assertThat(one.await(one.store().renew(List.of(fewer)))).containsExactly(RenewalRequest.Outcome.KEPT);

            Grant beside = two.granted(reader);
            assertThat(next).as("no writer in between").isNotDone();
            assertThat(one.await(one.store().renew(List.of(fewer))))
                    .as("repeated without harm")
                    .containsExactly(RenewalRequest.Outcome.KEPT);
            two.release(beside);
            assertThat(next).isNotDone();
            assertThat(one.release(writer)).isTrue();
            three.release(three.granted(next));
        }

        @Test
        void aRenewalNeverTakesMore() {
            Client one = readingClient();
            Client two = client();
            Grant reader = one.acquire(name("more"), longLease(), 1, ALL);
            RenewalRequest more = new RenewalRequest(reader.claim().withUnits(ALL), longLease());
            one.await(one.store().renew(List.of(more)));

            assertThat(attempt(two, name("more"), 1, ALL))
                    .as("it is still a reader, beside others")
                    .isPresent();
        }

        @Test
        void aDeadReaderLetsTheWriterIn() {
            Client one = readingClient();
            Client two = client();
            one.acquire(name("grave"), shortLease(), 1, ALL);
            Grant alive = one.acquire(name("grave"), longLease(), 1, ALL);
            CompletableFuture<Optional<Grant>> writer = waitFor(two, name("grave"), ALL, ALL);
            letPass(shortLease().plus(Duration.ofMillis(50)));
            assertThat(writer).isNotDone();

            one.release(alive);

            two.release(two.granted(writer));
        }
    }

    /** With leases that run out, are renewed, released and revoked. */
    private void assertKeptApart(String lock, LeaseContention.Kind kind) throws Exception {
        LeaseContention contention = new LeaseContention(
                name(lock),
                kind,
                shortLease().dividedBy(4),
                8,
                LeaseContention.Ending.RUN_OUT,
                LeaseContention.Ending.RENEW,
                LeaseContention.Ending.REVOKE,
                LeaseContention.Ending.REVOKE,
                LeaseContention.Ending.RELEASE);

        contention.run(SharingCases.this::client);

        assertThat(contention.violations()).isEmpty();
        assertThat(contention.grants()).isPositive();
    }

    @Nested
    @DisplayName("Kinds under the engine")
    class KindsUnderTheEngine {

        @Test
        void readersWritersAndPermitsOfSeveralProcessesKeepApart() throws Exception {
            sharingClient();
            KindsContention contention = new KindsContention(name("kinds"));

            contention.run(SharingCases.this::client);

            assertThat(contention.violations()).isEmpty();
            assertThat(contention.lostUpdates()).isZero();
        }
    }
}
