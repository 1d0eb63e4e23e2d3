package io.holdfast.redis.internal.connection;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Environment;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;

/**
 * A Redis URL, which opens the connections to its servers:
 *
 * <ul>
 *   <li>{@code redis://user:password@host:port/database?timeout=2s&clientName=orders&keyPrefix=orders}, {@code rediss://} for
 *       TLS
 *   <li>{@code redis-sentinel://password@sentinel1:port,sentinel2:port/database#master}
 *   <li>{@code redis-cluster://password@node1:port,node2:port}, {@code rediss-cluster://} for TLS
 * </ul>
 */
public final class RedisUrl {

    public static final Set<String> SCHEMES =
            Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster");

    /** What no later attempt can change without a change of the configuration. */
    private static final Pattern REFUSAL = Pattern.compile(
            "WRONGPASS|NOAUTH|NOPERM|ERR (AUTH|Client sent AUTH|invalid password|DB index|unknown command)");

    private static final Pattern REASON_LOST =
            Pattern.compile("Connection closed prematurely|RedisHandshakeHandler not registered");

    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration REFRESH = Duration.ofSeconds(30);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final String name;
    private final List<RedisURI> uris;
    private final boolean cluster;
    private final StoreSettings settings;

    private RedisUrl(String name, List<RedisURI> uris, boolean cluster, StoreSettings settings) {
        this.name = name;
        this.uris = uris;
        this.cluster = cluster;
        this.settings = settings;
    }

    public static RedisUrl parse(String url) {
        int colon = url.indexOf("://");
        String scheme = colon < 0 ? "" : url.substring(0, colon);
        if (!SCHEMES.contains(scheme)) {
            throw new IllegalArgumentException("A Redis URL begins with one of "
                    + SCHEMES.stream().sorted().toList() + " and ://, such as redis://localhost:6379");
        }
        UrlParts parts;
        try {
            parts = UrlParts.of(url.substring(colon + 3));
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("Malformed URL, " + scheme + "://…: " + malformed.getMessage());
        }
        String name = scheme + "://" + parts.hosts() + parts.path();
        try {
            return parse(scheme, name, parts);
        } catch (RuntimeException malformed) {
            throw new IllegalArgumentException("Malformed URL " + name + ": " + malformed.getMessage());
        }
    }

    private static RedisUrl parse(String scheme, String name, UrlParts parts) {
        parts.check();
        StoreSettings settings = StoreSettings.DEFAULTS;
        String prefix = parts.option("keyPrefix");
        if (prefix != null) {
            settings = settings.withKeyPrefix(prefix);
        }
        boolean cluster = scheme.endsWith("-cluster");
        String plain = cluster ? scheme.substring(0, scheme.length() - "-cluster".length()) : scheme;
        List<String> hosts = cluster ? List.of(parts.hosts().split(",", -1)) : List.of(parts.hosts());
        List<RedisURI> uris = new ArrayList<>();
        for (String host : hosts) {
            uris.add(uri(plain + "://", parts.credentials(), host + parts.path() + parts.query() + parts.fragment()));
        }
        RedisURI first = uris.get(0);
        if (parts.option("timeout") != null) {
            settings = settings.withTimeout(first.getTimeout());
        }
        if (cluster && first.getDatabase() != 0) {
            throw new IllegalArgumentException("a cluster has database 0 only, not " + first.getDatabase());
        }
        if (parts.option("clientName") == null) {
            uris.forEach(uri -> uri.setClientName("holdfast"));
        }
        return new RedisUrl(name, uris, cluster, settings);
    }

    /** Lettuce's message may contain the password; so the URL is parsed again without it, which reports other errors. */
    private static RedisURI uri(String scheme, String credentials, String rest) {
        try {
            return RedisURI.create(scheme + credentials + rest);
        } catch (RuntimeException malformed) {
            RedisURI unused = RedisURI.create(scheme + rest);
            throw new IllegalArgumentException(
                    "the user name or the password cannot be read. Write special characters percent-encoded, as in a URL");
        }
    }

    /** Without credentials. */
    public String name() {
        return name;
    }

    public StoreSettings settings() {
        return settings;
    }

    /** Connects with a dedicated client, which is shut down with the connections. */
    public RedisConnections open(
            Environment environment,
            StoreSettings wanted,
            WakeupChannels channels,
            RedisConnections.Listener listener) {
        try {
            return openOnce(environment, wanted, channels, listener);
        } catch (StoreUnavailableException failed) {
            // If the server closes the connection quickly, Lettuce sometimes reports only that; a second attempt
            // reports the
            // reason.
            if (REASON_LOST.matcher(String.valueOf(failed.getMessage())).find()) {
                return openOnce(environment, wanted, channels, listener);
            }
            throw failed;
        }
    }

    private RedisConnections openOnce(
            Environment environment,
            StoreSettings wanted,
            WakeupChannels channels,
            RedisConnections.Listener listener) {
        ClientResources resources = DefaultClientResources.builder()
                // The default goes up to 30 s, which is longer than a lease.
                .reconnectDelay(Delay.fullJitter(Duration.ofMillis(10), LONGEST_PAUSE, 10, TimeUnit.MILLISECONDS))
                .build();
        // The timeout of the handshake of a new connection; by default a minute. A server whose process is paused
        // accepts
        // connections, and its successor would be found only after that timeout.
        uris.forEach(uri -> uri.setTimeout(wanted.timeout()));
        return cluster
                ? openCluster(resources, environment, wanted, channels, listener)
                : openSingle(resources, environment, wanted, channels, listener);
    }

    private RedisConnections openSingle(
            ClientResources resources,
            Environment environment,
            StoreSettings wanted,
            WakeupChannels channels,
            RedisConnections.Listener listener) {
        RedisURI uri = uris.get(0);
        RedisClient client = RedisClient.create(resources, uri);
        Runnable end = () -> {
            client.shutdown(Duration.ZERO, CONNECT);
            resources.shutdown(0, CONNECT.toSeconds(), TimeUnit.SECONDS).awaitUninterruptibly();
        };
        // SingleServerConnections replaces a connection that is lost.
        client.setOptions(options(ClientOptions.builder()).autoReconnect(false).build());
        try {
            return new SingleServerConnections(client, uri, environment, wanted, channels, listener, end);
        } catch (RuntimeException failed) {
            end.run();
            throw openFailure(name, failed);
        }
    }

    private RedisConnections openCluster(
            ClientResources resources,
            Environment environment,
            StoreSettings wanted,
            WakeupChannels channels,
            RedisConnections.Listener listener) {
        RedisClusterClient client = RedisClusterClient.create(resources, uris);
        Runnable end = () -> {
            client.shutdown(Duration.ZERO, CONNECT);
            resources.shutdown(0, CONNECT.toSeconds(), TimeUnit.SECONDS).awaitUninterruptibly();
        };
        ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(REFRESH)
                .adaptiveRefreshTriggersTimeout(LONGEST_PAUSE)
                .dynamicRefreshSources(true)
                .build();
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
        options(builder);
        client.setOptions(builder.topologyRefreshOptions(refresh).build());
        try {
            return new ClusterConnections(client, environment, wanted, channels, listener, end);
        } catch (RuntimeException failed) {
            end.run();
            throw openFailure(name, failed);
        }
    }

    /** Requests are not repeated by Lettuce: the engine repeats them, and tracks whether the first one was answered. */
    private static ClientOptions.Builder options(ClientOptions.Builder builder) {
        return builder.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                // No timer for each command: ScriptRunner has one for all.
                .timeoutOptions(TimeoutOptions.create())
                // Not needed: a lease has its own timeout, independent of a server's maintenance.
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECT)
                        .tcpNoDelay(true)
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(Duration.ofSeconds(10))
                                .interval(Duration.ofSeconds(5))
                                .count(3)
                                .build())
                        .build());
    }

    /**
     * The exception for a store that could not be opened: a wrong configuration, if the server has refused it, or else an unavailable
     * store, of which a later attempt may succeed. With the message of every cause, because the last one is often the most specific.
     */
    public static RuntimeException openFailure(String name, RuntimeException failed) {
        List<Throwable> causes = Stream.iterate((Throwable) failed, cause -> cause != null, Throwable::getCause)
                .toList();
        String text = causes.stream()
                .map(cause -> String.valueOf(cause.getMessage()))
                .reduce((one, next) -> one.contains(next) ? one : one + ": " + next)
                .orElse("");
        if (causes.stream().anyMatch(RedisUrl::isRefusal)) {
            return new IllegalArgumentException(
                    "Redis refuses the connection: " + text
                            + ". Check the user, the password, the database, the ACL and the certificate. [" + name
                            + "]",
                    failed);
        }
        return new StoreUnavailableException(
                name, "Cannot connect to Redis: " + text + ". Check the address, the network and the server.", failed);
    }

    private static boolean isRefusal(Throwable cause) {
        return cause instanceof SSLHandshakeException
                || (cause instanceof RedisCommandExecutionException
                        && REFUSAL.matcher(String.valueOf(cause.getMessage())).lookingAt());
    }
}
