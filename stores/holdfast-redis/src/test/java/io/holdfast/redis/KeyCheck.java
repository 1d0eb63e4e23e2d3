package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Looks at the keys that Holdfast has left in a server. */
final class KeyCheck {

    private KeyCheck() {}

    /** No key of Holdfast may be without an expiry. */
    static void everyKeyExpires(RedisServer server) {
        try (RespClient client = server.client()) {
            everyKeyExpires(client);
        }
    }

    /** In the database that the client has selected. */
    static void everyKeyExpires(RespClient client) {
        Map<String, Long> endless = new TreeMap<>();
        for (String key : keys(client, "holdfast:*")) {
            long left = client.number("PTTL", key);
            if (left == -1) {
                endless.put(key, left);
            }
        }
        assertThat(endless).as("keys without expiry").isEmpty();
    }

    static List<String> keys(RespClient client, String pattern) {
        return client.list("KEYS", pattern).stream().map(String::valueOf).toList();
    }
}
