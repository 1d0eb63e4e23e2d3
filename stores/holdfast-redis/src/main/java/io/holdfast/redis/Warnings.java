package io.holdfast.redis;

import io.holdfast.spi.DurationText;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is said at the start about servers and clients that are not set up for locks. */
final class Warnings {

    private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    private Warnings() {}

    /** {@code memory} is what {@code INFO memory} says. */
    static void ofMemory(String store, String memory) {
        Matcher policy = POLICY.matcher(memory);
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    store + ": the server's maxmemory-policy is " + policy.group(1)
                            + ", so it may drop locks that are held when its memory is full. Set it to noeviction, or use"
                            + " a server of its own for locks.");
        }
    }

    /** {@code timeout} is that of a client of the application. */
    static void ofTimeout(String store, Duration timeout) {
        if (timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    store + ": the client has a timeout of " + DurationText.of(timeout)
                            + ". While a server is paused, a reconnect or a refresh of the topology takes that long, and leases may"
                            + " be lost. Set the timeout of its RedisURI to a few seconds.");
        }
    }

    static void ofClusterClient(String store, RedisClusterClient client) {
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
