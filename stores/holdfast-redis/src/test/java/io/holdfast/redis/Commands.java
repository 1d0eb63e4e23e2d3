package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Counts what clients have sent: scripts, not what they call inside. */
final class Commands {

    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

    private Commands() {}

    static long sent(RedisServer server) {
        try (RespClient client = server.client()) {
            String stats = String.valueOf(client.call("INFO", "commandstats"));
            return SCRIPTS.matcher(stats)
                    .results()
                    .map(MatchResult::group)
                    .mapToLong(text -> Long.parseLong(text.substring(text.indexOf('=') + 1)))
                    .sum();
        }
    }
}
