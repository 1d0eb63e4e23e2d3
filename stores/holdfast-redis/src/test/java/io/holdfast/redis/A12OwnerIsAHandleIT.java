package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The owner is a thread; asynchronous code releases from another one. */
class A12OwnerIsAHandleIT {

    @Test
    void naiveLockCannotBeReleasedByAnotherThreadAndThatOfHoldfastCan() throws Exception {
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                Holdfast holdfast = Holdfast.connect(server.url())) {
            NaiveThreadLock naive = new NaiveThreadLock(client.redis());
            assertThat(naive.tryLock("naive")).isTrue();
            assertThat(CompletableFuture.runAsync(() -> naive.unlock("naive"), elsewhere)
                            .handle((done, failure) -> failure)
                            .get(10, TimeUnit.SECONDS))
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IllegalMonitorStateException.class);
            assertThat(client.redis().exists("naive")).as("and stays locked").isEqualTo(1);

            Lease lease = holdfast.lock("apples").acquire();
            assertThat(CompletableFuture.supplyAsync(lease::release, elsewhere).get(10, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(holdfast.lock("apples").inspect().isFree()).isTrue();
        } finally {
            elsewhere.shutdownNow();
        }
    }
}
