package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Doubling back-off sleeps through the release. */
class A04NotifiedByTheReleaseIT {

    /** As in the article, where the lock is free at 3.16 s and the waiter asleep until 5 s. */
    private static final Duration FIRST_SLEEP = Duration.ofMillis(50);

    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    /** Polled at the start and after each of 50 + 100 + 200 + 400 + 800 + 1,600 ms; then it sleeps for the rest of its wait. */
    private static final String LAST_ASK = "8";

    @Test
    void naiveWaiterSleepsWhileTheLockIsFreeAndThatOfHoldfastIsNotified() throws Exception {
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                NaiveClient waiting = new NaiveClient(server.url());
                Holdfast holding = Holdfast.connect(server.url());
                Holdfast other = Holdfast.connect(server.url())) {
            Duration lease = Duration.ofMinutes(1);
            NaiveIncrLock naive = new NaiveIncrLock(client.redis());
            assertThat(naive.tryAcquire("naive", lease)).isTrue();
            Lease holder = holding.lock("apples").acquire();
            CompletableFuture<Lease> waiter = Waiters.queue(other.lock("apples"));
            CompletableFuture<Boolean> naively = CompletableFuture.supplyAsync(() -> {
                try {
                    return new NaiveIncrLock(waiting.redis()).acquire("naive", lease, MAX_WAIT, FIRST_SLEEP);
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            });
            Eventually.holds(
                    "it sleeps for the last time",
                    () -> LAST_ASK.equals(client.redis().get("naive")));
            naive.release("naive");
            long released = System.nanoTime();
            holder.close();

            Lease lock = Eventually.comes(waiter);
            boolean awake = naively.isDone();

            Eventually.figure("woken by the release after", released);
            assertThat(awake)
                    .as("naive: awake when the waiter of Holdfast was served")
                    .isFalse();
            assertThat(Eventually.comes(naively)).isTrue();
            Eventually.figure("naive: asleep while the lock was free for", released);
            assertThat(lock.release()).isTrue();
        }
    }
}
