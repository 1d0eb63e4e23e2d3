package io.holdfast.redis.internal.connection;

import io.holdfast.spi.support.DurationText;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Warnings at the start about settings of servers and clients that are not suitable for locks. */
public final class SetupWarnings {

    private static final System.Logger LOG = System.getLogger("io.holdfast.redis.RedisStore");
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    private SetupWarnings() {}

    /** Warns if the server may evict keys; {@code memory} is the reply to {@code INFO memory}. */
    public static void checkMemory(String store, String memory) {
        Matcher policy = POLICY.matcher(memory);
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    store + ": the server's maxmemory-policy is " + policy.group(1)
                            + ", so it may evict keys of held locks when its memory is full. Set it to noeviction, or use"
                            + " a dedicated server for locks.");
        }
    }

    /** Warns if the timeout of a client of the application is too long. */
    public static void checkTimeout(String store, Duration timeout) {
        if (timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    store + ": the client has a timeout of " + DurationText.of(timeout)
                            + ". While a server is paused, a reconnect or a refresh of the topology takes that long, and leases may"
                            + " be lost. Set the timeout of its RedisURI to a few seconds.");
        }
    }

    /** Warns if a cluster client of the application has no topology refresh. */
    public static void checkClusterClient(String store, RedisClusterClient client) {
        ClientOptions options = client.getOptions();
        ClusterTopologyRefreshOptions refresh =
                options instanceof ClusterClientOptions cluster ? cluster.getTopologyRefreshOptions() : null;
        if (refresh == null
                || (!refresh.isPeriodicRefreshEnabled()
                        && refresh.getAdaptiveRefreshTriggers().isEmpty())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    store + ": the client has no topology refresh, so it does not learn of a failover. Enable"
                            + " periodic refresh and all adaptive triggers in its ClusterTopologyRefreshOptions.");
        }
    }
}
