package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeftoversIT {

    @Test
    void holderConnectionAndThreadAreFoundWhileTheyAreThere() {
        try (RedisServer server = RedisServer.start()) {
            try (Holdfast holdfast = Holdfast.connect(server.url());
                    Lease lease = holdfast.lock("apples").acquire()) {
                assertThat(RedisLeftovers.in(server, Duration.ZERO))
                        .anyMatch(each -> each.startsWith("Left connection"))
                        .anyMatch(each -> each.startsWith("Left in key holdfast:{apples}: h:1 = "));
                assertThat(Leftovers.threads(Duration.ZERO))
                        .anyMatch(each -> each.startsWith("Left thread: holdfast-"))
                        .anyMatch(each -> each.startsWith("Left thread: lettuce-"));
                lease.ensureHeld();
            }
            assertThat(RedisLeftovers.in(server, Leftovers.PATIENCE)).isEmpty();
            assertThat(Leftovers.threads(Leftovers.PATIENCE)).isEmpty();
        }
    }

    @Test
    void keyWithoutAnEndIsFound() {
        try (RedisServer server = RedisServer.start();
                RespClient client = server.client()) {
            client.call("HSET", "holdfast:{apples}", "layout", "1");
            assertThat(RedisLeftovers.in(server, Duration.ZERO)).anyMatch(each -> each.startsWith("Left for ever"));
        }
    }
}
