package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Counts commands that a server has executed. */
final class Commands {

    private static final String SCRIPTS = "eval|evalsha";
    /** The tests themselves use some of them, but not while they count. */
    private static final String OF_HASHES = "hget|hmget|hset|hdel|hexists";

    private Commands() {}

    /** What clients have sent: scripts, not what they call inside. */
    static long sent(RedisServer server) {
        return count(server, SCRIPTS);
    }

    /** What was done to hashes, by scripts or directly. */
    static long inside(RedisServer server) {
        return count(server, OF_HASHES);
    }

    static long count(RedisServer server, String commands) {
        try (RespClient client = server.client()) {
            String stats = String.valueOf(client.call("INFO", "commandstats"));
            return Pattern.compile("cmdstat_(?:" + commands + "):calls=(\\d+)")
                    .matcher(stats)
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .mapToLong(Long::parseLong)
                    .sum();
        }
    }
}
