package io.holdfast.soak;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What is left behind in a Redis: holders, waiters, connections. */
final class RedisLeftovers {

    /** What may stay in the key of a name until its retention is over. */
    private static final Set<String> REMEMBERED = Set.of("layout", "last", "tombstones");
    /** Tombstones, and their order. */
    private static final Pattern TOMBSTONE = Pattern.compile("[xe]:.*");

    private RedisLeftovers() {}

    /** What is left in a server that nobody but the caller uses any more. */
    static List<String> in(RedisServer server, Duration patience) {
        try (RespClient client = server.client()) {
            List<String> left = new ArrayList<>(Leftovers.gone(patience, () -> connections(client)));
            for (Object key : client.list("KEYS", "*")) {
                left.addAll(in(client, (String) key));
            }
            return left;
        }
    }

    private static List<String> in(RespClient client, String key) {
        List<String> left = new ArrayList<>();
        if (client.number("PTTL", key) < 0) {
            left.add("Left for ever: key " + key);
        }
        for (Object field : client.list("HKEYS", key)) {
            if (!REMEMBERED.contains((String) field)
                    && !TOMBSTONE.matcher((String) field).matches()) {
                left.add("Left in key " + key + ": " + field + " = " + client.call("HGET", key, (String) field));
            }
        }
        return left;
    }

    /** All but the one that asks. */
    private static List<String> connections(RespClient client) {
        String own = "id=" + client.number("CLIENT", "ID") + " ";
        return client.text("CLIENT", "LIST")
                .lines()
                .filter(line -> !line.startsWith(own))
                .map(line -> "Left connection: " + line)
                .toList();
    }
}
