package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A long queue costs each of those who wait the same as a short one, and the server no long script. */
class ManyWaitersIT {

    private static final int STORES = 4;
    private static final int WAITERS = 10_000;
    private static final String NAME = "concert";
    private static final long LONG_MICROS = 5_000;

    private record Waiter(StoreClient client, Claim claim, CompletableFuture<Optional<Grant>> answer) {

        Grant get() throws Exception {
            return answer.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS).orElseThrow();
        }

        boolean release() throws Exception {
            return client.store().release(claim).get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private RedisServer server;
    private Holdfast observer;
    private DistributedLock lock;
    private final List<StoreClient> clients = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        server = RedisServer.start("slowlog-log-slower-than 1000", "slowlog-max-len 10000");
        observer = Holdfast.connect(server.url());
        lock = observer.lock(NAME);
        for (int i = 0; i < STORES; i++) {
            clients.add(new StoreClient(RedisStore.at(server.url())));
        }
        // The server has the scripts now, so that requests are executed in the order they are sent.
        Waiter once = acquire(clients.get(0));
        once.get();
        assertThat(once.release()).isTrue();
    }

    @AfterEach
    void stop() {
        clients.forEach(StoreClient::close);
        observer.close();
        server.close();
    }

    @Test
    void allAreServedOnceAndInOrder() throws Exception {
        Waiter holder = acquire(clients.get(0));
        holder.get();
        long begun = System.nanoTime();
        List<Waiter> queue = queue(WAITERS);
        Eventually.figure(WAITERS + " claims queued in", begun);
        long served = System.nanoTime();
        long token = holder.get().firstToken();
        for (Waiter next : queue) {
            assertThat(next.answer()).isNotDone();
            assertThat(holder.release()).isTrue();
            Grant grant = next.get();
            assertThat(grant.firstToken()).isGreaterThan(token);
            token = grant.firstToken();
            holder = next;
        }
        assertThat(holder.release()).isTrue();
        Eventually.figure(WAITERS + " claims served one after another in", served);

        assertThat(lock.inspect().isFree()).isTrue();
        assertThat(lock.inspect().waiters()).isZero();
        assertNoLongScripts();
    }

    /** From the end, so that the queue is full of gaps when its head is determined. */
    @Test
    void halfOfTheQueueIsWithdrawn() throws Exception {
        int withdrawn = WAITERS / 2;
        Waiter holder = acquire(clients.get(0));
        holder.get();
        List<Waiter> queue = queue(withdrawn);
        Waiter last = acquire(clients.get(1));
        Eventually.holds("the last waits", () -> lock.inspect().waiters() == withdrawn + 1);
        long begun = System.nanoTime();
        List<CompletableFuture<Boolean>> releases = new ArrayList<>();
        for (int i = withdrawn - 1; i >= 0; i--) {
            Waiter waiter = queue.get(i);
            releases.add(waiter.client().store().release(waiter.claim()));
        }
        for (CompletableFuture<Boolean> release : releases) {
            assertThat(release.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("it did not hold the name")
                    .isFalse();
        }
        Eventually.figure(withdrawn + " claims withdrawn in", begun);
        assertThat(lock.inspect().waiters()).isEqualTo(1);

        long released = System.nanoTime();
        assertThat(holder.release()).isTrue();

        assertThat(last.get().firstToken()).isGreaterThan(holder.get().firstToken());
        Eventually.figure("behind " + withdrawn + " gaps, release to grant", released);
        assertThat(queue).noneMatch(waiter -> waiter.answer().isDone());
        assertThat(last.release()).isTrue();
        assertThat(lock.inspect().isFree()).isTrue();
        assertNoLongScripts();
    }

    private static Waiter acquire(StoreClient client) {
        Claim claim = client.claim(NAME, Claim.Mode.WAIT);
        return new Waiter(client, claim, client.store().acquire(claim));
    }

    /** One client after the other, so that the order of the queue is known. */
    private List<Waiter> queue(int count) {
        List<Waiter> queue = new ArrayList<>();
        for (StoreClient client : clients) {
            for (int i = 0; i < count / STORES; i++) {
                queue.add(acquire(client));
            }
            Eventually.holds("all of this client wait", () -> lock.inspect().waiters() == queue.size());
        }
        return queue;
    }

    /**
     * The server measures by the clock, in which a busy machine may have done something else; so single ones are only printed.
     * A script that walks through the queue would be long every time.
     */
    private void assertNoLongScripts() {
        try (RespClient client = server.client()) {
            long longest = 0;
            long tooLong = 0;
            for (Object each : client.list("SLOWLOG", "GET", "-1")) {
                List<?> entry = (List<?>) each;
                long micros = (Long) entry.get(2);
                if (String.valueOf(entry.get(3)).contains("EVALSHA")) {
                    longest = Math.max(longest, micros);
                    tooLong += micros > LONG_MICROS ? 1 : 0;
                }
            }
            String stats = client.field("cmdstat_evalsha", "INFO", "commandstats");
            System.out.printf("figure: %d of the scripts above 5 ms, longest %d µs, %s%n", tooLong, longest, stats);
            double average = Double.parseDouble(stats.replaceAll(".*usec_per_call=([0-9.]+).*", "$1"));
            assertThat(average).as("microseconds a script").isLessThan(LONG_MICROS / 5.0);
        }
    }
}
