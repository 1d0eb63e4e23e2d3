package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The wait queue in the row of a name on PostgreSQL: order, hand-over by the release, entries of processes that died. */
class WaitQueueIT {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final String QUEUED =
            "SELECT coalesce(sum(cardinality(string_to_array(queue, E'\\n'))), 0) FROM holdfast_lease";

    private static PostgresServer server;

    private StoreClient client;
    private StoreClient other;
    private Sql sql;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
        other = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
        sql = Sql.at(server.url());
        sql.update("DELETE FROM holdfast_lease");
    }

    @AfterEach
    void disconnect() {
        sql.close();
        other.close();
        client.close();
    }

    private CompletableFuture<Optional<Grant>> queued(StoreClient process, Claim claim, int place) {
        CompletableFuture<Optional<Grant>> answer = process.store().acquire(claim);
        Eventually.holds("it is queued", () -> sql.number(QUEUED) == place);
        return answer;
    }

    private static Grant granted(CompletableFuture<Optional<Grant>> answer) {
        return Eventually.comes(answer).orElseThrow();
    }

    private static void release(StoreClient process, Claim claim) {
        assertThat(Eventually.comes(process.store().release(claim))).isTrue();
    }

    @Test
    void claimsAreServedInTheOrderOfTheirArrival() {
        Claim first = client.claim("order", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("order", Claim.Mode.WAIT, LEASE);
        Claim third = client.claim("order", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, second, 1);
        CompletableFuture<Optional<Grant>> afterNext = queued(client, third, 2);

        release(client, first);
        Grant handed = granted(next);
        assertThat(client.acquires(client.claim("order", Claim.Mode.TRY))).isFalse();
        assertThat(afterNext).isNotDone();
        release(other, second);

        assertThat(granted(afterNext).firstToken()).isGreaterThan(handed.firstToken());
        assertThat(sql.number(QUEUED)).isZero();
        release(client, third);
    }

    /** The notification has the grant: the waiter sends nothing. */
    @Test
    void releaseHandsTheNameOverForAsLongAsItsOwnLeaseAtMost() {
        Claim first = client.claim("handed", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("handed", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, second, 1);

        release(client, first);

        Grant handed = granted(next);
        assertThat(handed.lease()).isLessThan(LEASE);
        assertThat(Eventually.comes(other.store().renew(List.of(new RenewalRequest(second, LEASE)))))
                .containsExactly(RenewalRequest.Outcome.KEPT);
        assertThat(sql.number("SELECT first_token FROM holdfast_lease")).isEqualTo(handed.firstToken());
        release(other, second);
    }

    @Test
    void claimsForAPartAreServedTogether() {
        Claim all = client.claim("parts", Claim.Mode.TRY, 3, 3, LEASE);
        Claim one = other.claim("parts", Claim.Mode.WAIT, 1, 3, LEASE);
        Claim two = client.claim("parts", Claim.Mode.WAIT, 2, 3, LEASE);
        assertThat(client.acquires(all)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, one, 1);
        CompletableFuture<Optional<Grant>> afterNext = queued(client, two, 2);

        release(client, all);

        granted(next);
        granted(afterNext);
        release(other, one);
        release(client, two);
    }

    /** Else successive readers would block a writer for ever. */
    @Test
    void readerDoesNotOvertakeAWriterThatWaits() {
        Claim reader = client.readWriteClaim("readers", Claim.Mode.TRY, 1);
        Claim writer = other.readWriteClaim("readers", Claim.Mode.WAIT, Claim.READ_WRITE);
        assertThat(client.acquires(reader)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, writer, 1);

        assertThat(client.acquires(client.readWriteClaim("readers", Claim.Mode.TRY, 1)))
                .isFalse();

        release(client, reader);
        granted(next);
        release(other, writer);
    }

    @Test
    void withdrawnClaimIsNotServed() {
        Claim first = client.claim("withdrawn", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("withdrawn", Claim.Mode.WAIT, LEASE);
        Claim third = other.claim("withdrawn", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        CompletableFuture<Optional<Grant>> withdrawn = queued(other, second, 1);
        CompletableFuture<Optional<Grant>> next = queued(other, third, 2);

        assertThat(Eventually.comes(other.store().release(second))).isFalse();
        assertThat(withdrawn).isCompletedExceptionally();
        release(client, first);

        granted(next);
        release(other, third);
    }

    /** The name is handed over to it at most once, for a moment. */
    @Test
    void claimOfAProcessThatDiedDoesNotBlockTheNextOne() {
        Claim first = client.claim("dead", Claim.Mode.TRY, LEASE);
        Claim third = client.claim("dead", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        try (StoreClient dead = new StoreClient(Kind.LEASE_TABLE.at(server.url()))) {
            assertThat(queued(dead, dead.claim("dead", Claim.Mode.WAIT, LEASE), 1))
                    .isNotDone();
        }
        CompletableFuture<Optional<Grant>> next = queued(client, third, 2);

        release(client, first);

        granted(next);
        release(client, third);
    }

    /** Their processes died while they waited. The waiter never polls: it is served by the notification. */
    @Test
    void expiredEntriesDelayNoClaim() {
        Claim first = client.claim("expired", Claim.Mode.TRY, LEASE);
        assertThat(client.acquires(first)).isTrue();
        try (StoreClient waiting = StoreClient.withoutTimers(Kind.LEASE_TABLE.at(server.url()))) {
            Claim last = waiting.claim("expired", Claim.Mode.WAIT, LEASE);
            CompletableFuture<Optional<Grant>> next = queued(waiting, last, 1);
            sql.update(
                    "UPDATE holdfast_lease SET queue = (SELECT string_agg(concat_ws(E'\t', 1, '00000000000000aa-' || i, 1, 1, 60000000, 1,"
                            + " 'host 1 app label'), E'\n') FROM generate_series(1, 31) i) || E'\n' || queue");

            release(client, first);

            granted(next);
            assertThat(sql.number(QUEUED)).isZero();
            release(waiting, last);
        }
    }

    /** Its process was first in the queue, and died: the entry expires in 50 s. The next claims do not wait for that, and do not poll all the time. */
    @Test
    void permitIsNotKeptForAClaimThatDoesNotCome() {
        Claim all = client.claim("dead-permit", Claim.Mode.TRY, 3, 3, LEASE);
        assertThat(client.acquires(all)).isTrue();
        sql.update("UPDATE holdfast_lease SET queue = concat_ws(E'\t', (extract(epoch FROM now()) * 1000000)::bigint"
                + " + 50000000, '00000000000000aa-1', 1, 3, 60000000, 1, 'host 1 app label')");
        AtomicInteger polls = new AtomicInteger();
        try (StoreClient waiting =
                new StoreClient(Kind.LEASE_TABLE.at(server.url()), task -> polls.incrementAndGet())) {
            Claim one = waiting.claim("dead-permit", Claim.Mode.WAIT, 1, 3, LEASE);
            Claim two = waiting.claim("dead-permit", Claim.Mode.WAIT, 2, 3, LEASE);
            CompletableFuture<Optional<Grant>> next = queued(waiting, one, 2);
            CompletableFuture<Optional<Grant>> afterNext = queued(waiting, two, 3);

            release(client, all);

            granted(next);
            granted(afterNext);
            assertThat(polls).hasValueLessThan(100);
            release(waiting, one);
            release(waiting, two);
        }
    }

    /** The entry of a claim that waits is refreshed before it expires, however long it waits. */
    @Test
    void entryOfAClaimThatWaitsIsRefreshed() {
        Claim first = client.claim("refreshed", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("refreshed", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, second, 1);
        String expiry = "SELECT split_part(queue, E'\\t', 1)::bigint FROM holdfast_lease";
        long begun = sql.number(expiry);

        Eventually.holds("it was refreshed twice", () -> sql.number(expiry) > begun + 3_000_000);

        release(client, first);
        granted(next);
        release(other, second);
    }

    @Test
    void queueHasTheOwnersOfItsClaimsAndHowLongTheyHaveWaited() {
        Claim first = client.claim("inspected", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("inspected", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        CompletableFuture<Optional<Grant>> next = queued(other, second, 1);
        long waits = sql.number("SELECT split_part(queue, E'\\t', 8)::bigint FROM holdfast_lease");

        WaitQueue queue = new WaitQueue(sql.text("SELECT queue FROM holdfast_lease"), waits + 1_000_000);

        assertThat(queue.waiting()).containsExactly(new WaitQueue.Waiting(second.owner(), Duration.ofSeconds(1)));
        release(client, first);
        granted(next);
        release(other, second);
    }

    /** Written before the clock of the database was set back by an hour. */
    @Test
    void entryOfAnotherTimeIsSkipped() {
        long hour = Duration.ofHours(1).toNanos() / 1_000;
        Claim first = client.claim("clock", Claim.Mode.TRY, LEASE);
        Claim second = other.claim("clock", Claim.Mode.WAIT, LEASE);
        assertThat(client.acquires(first)).isTrue();
        sql.update(
                "UPDATE holdfast_lease SET queue = concat_ws(E'\\t', (extract(epoch FROM now()) * 1000000)::bigint + "
                        + hour + ", '00000000000000aa-1', 1, 1, 60000000, 1, 'host 1 app label'), next_claim ="
                        + " '00000000000000aa-1', next_until = (extract(epoch FROM now()) * 1000000)::bigint + "
                        + hour);
        CompletableFuture<Optional<Grant>> next = other.store().acquire(second);

        release(client, first);

        granted(next);
        release(other, second);
    }

    /** A claim that is refused, and need not be queued, writes nothing. */
    @Test
    void refusedAttemptWritesNothing() {
        Claim held = client.claim("read", Claim.Mode.TRY, LEASE);
        assertThat(client.acquires(held)).isTrue();
        String version = "SELECT xmin::text::bigint + xmax::text::bigint FROM holdfast_lease";
        long before = sql.number(version);

        assertThat(other.acquires(other.claim("read", Claim.Mode.TRY))).isFalse();

        assertThat(sql.number(version)).isEqualTo(before);
        release(client, held);
    }
}
