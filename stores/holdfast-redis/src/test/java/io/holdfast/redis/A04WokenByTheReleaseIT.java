package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Doubling back-off sleeps through the release. */
class A04WokenByTheReleaseIT {

    /** Half of the 50 ms and 5 s of the article, where the lock is free at 3.16 s and the waiter asleep until 5 s. */
    private static final Duration FIRST_SLEEP = Duration.ofMillis(25);

    private static final Duration MAX_WAIT = Duration.ofMillis(2_500);

    /** Asked at the start and after each of 25 + 50 + 100 + 200 + 400 + 800 ms; then it sleeps for the rest of its wait. */
    private static final String LAST_ASK = "8";

    @Test
    void naiveWaiterSleepsOnWhileTheLockIsFreeAndOursIsWoken() throws Exception {
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                NaiveClient waiting = new NaiveClient(server.url());
                Holdfast holding = Holdfast.connect(server.url());
                Holdfast other = Holdfast.connect(server.url())) {
            Duration lease = Duration.ofMinutes(1);
            NaiveIncrLock naive = new NaiveIncrLock(client.redis());
            assertThat(naive.tryAcquire("naive", lease)).isTrue();
            CompletableFuture<Long> naiveGot = CompletableFuture.supplyAsync(() -> {
                try {
                    assertThat(new NaiveIncrLock(waiting.redis()).acquire("naive", lease, MAX_WAIT, FIRST_SLEEP))
                            .isTrue();
                    return System.nanoTime();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            });
            Eventually.holds(
                    "it sleeps for the last time",
                    () -> LAST_ASK.equals(client.redis().get("naive")));
            long naiveReleased = System.nanoTime();
            naive.release("naive");

            Lease holder = holding.lock("apples").acquire();
            CompletableFuture<Lease> waiter = Waiters.queue(other.lock("apples"));
            long released = System.nanoTime();
            holder.close();
            Lease lock = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
            long ours = Eventually.figure("woken by the release after", released);
            assertThat(lock.release()).isTrue();

            long naively = TimeUnit.NANOSECONDS.toMillis(
                    naiveGot.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS) - naiveReleased);
            System.out.println("figure: naive: asleep for " + naively + " ms while it was free");
            assertThat(ours).isLessThan(naively);
        }
    }
}
