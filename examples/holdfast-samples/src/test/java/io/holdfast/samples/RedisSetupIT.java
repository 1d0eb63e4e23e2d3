package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.redis.RedisFence;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

class RedisSetupIT {

    @Test
    void sellsUnderALockOnTheApplicationsOwnClient() {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.url());
                StatefulRedisConnection<String, String> connection = client.connect();
                Holdfast holdfast = RedisSetup.onOwnClient(client)) {
            connection.sync().set("stock:{apples}", "10");

            assertThat(RedisSetup.sell(holdfast.lock("apples"), connection, "Ada", 3))
                    .isEqualTo(7);

            assertThat(connection.sync().keys("orders:locks:{apples}")).hasSize(1);
            assertThat(connection.sync().hget("sold-by:{apples}", "clerk")).isEqualTo("Ada");

            try (Lease lease = holdfast.lock("apples").acquire()) {
                RedisFence fence = RedisFence.on(connection);
                assertThat(RedisSetup.sellAll(fence, lease, "stock:{apples}", "sold:{apples}"))
                        .isEqualTo(7);
            }
            assertThat(connection.sync().get("sold:{apples}")).isEqualTo("7");
        }
    }
}
