package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The application starts although Redis is down; acquisitions fail until Redis is back, and then succeed without a restart. */
class StoreDownAtStartIT {

    @Test
    void applicationStartsAndRecovers() {
        try (RedisServer server = RedisServer.start();
                LogLines log = LogLines.ofAll()) {
            server.kill();
            try (Holdfast holdfast = Holdfast.connect(server.url())) {
                recovers(holdfast, server);
                assertThat(log.lines().toString())
                        .contains("the store is unavailable at the start")
                        .contains(server.url() + ": connected, after");
            }
        }
    }

    @Test
    void applicationWithAClientOfItsOwnStartsAndRecovers() {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.url())) {
            server.kill();
            try (Holdfast holdfast = Holdfast.builder(RedisStore.on(client)).build()) {
                recovers(holdfast, server);
            }
        }
    }

    private static void recovers(Holdfast holdfast, RedisServer server) {
        DistributedLock lock = holdfast.lock("door");
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(300))).isInstanceOf(StoreUnavailableException.class);
        CompletableFuture<Lease> patient = lock.acquireAsync(Eventually.LIMIT);

        server.restart();

        Lease lease = Eventually.comes(patient);
        assertThat(holdfast.lock("door").inspect().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token()));
        assertThat(lease.release()).isTrue();
    }
}
