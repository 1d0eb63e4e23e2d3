package io.holdfast.servers;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Redis with failover: a master, two replicas, and three sentinels that agree by two. A master that does not answer for a
 * second is replaced. The sentinels look around more often than usual; a restarted sentinel does so as usual.
 *
 * <p>Passwords are not supported: the servers would have to know each other's.
 */
public final class RedisSentinels implements AutoCloseable {

    /** The name under which the sentinels know the master. */
    public static final String MASTER_NAME = "holdfast";

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /** Starts all and waits until the replicas have the master's data and the sentinels know each other. */
    public static RedisSentinels start(String... settings) {
        RedisSentinels group = new RedisSentinels();
        try {
            group.startServers(List.of(settings));
            group.startSentinels();
            return group;
        } catch (RuntimeException | Error failed) {
            group.close();
            throw failed;
        }
    }

    /** As {@code redis-sentinel://127.0.0.1:p1,127.0.0.1:p2,127.0.0.1:p3/0#holdfast}. */
    public String url() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + MASTER_NAME));
    }

    /** The server that the sentinels take for the master now; it may be dead, and they may be about to find out. */
    public RedisServer master() {
        int port = masterPort();
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new ServerException("the sentinels name a master that is none of ours: " + port));
    }

    /** The other servers, dead or alive. */
    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers.stream().filter(server -> server != master).toList();
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Waits until all sentinels that live name the same master, another one than this, and it says so itself. */
    public RedisServer awaitMasterOtherThan(RedisServer old) {
        Await.until(
                LIMIT, () -> agreed().filter(master -> master != old).isPresent(), () -> "no other master" + logs());
        return master();
    }

    /** Waits until both others follow the master of now, with all of its data. Both have to run. */
    public void awaitReplicas() {
        Await.until(LIMIT, this::allFollow, () -> "a replica does not follow the master" + logs());
    }

    private boolean allFollow() {
        RedisServer master = master();
        return servers.stream().filter(server -> server != master).allMatch(replica -> follows(replica, master));
    }

    /** Ends all of them. Idempotent. */
    @Override
    public void close() {
        Stream.concat(sentinels.stream(), servers.stream()).forEach(RedisServer::close);
    }

    private void startServers(List<String> settings) {
        // A replica of a fresh master is else kept waiting for five seconds, in case more of them come.
        List<String> all = new ArrayList<>(List.of("repl-diskless-sync-delay 0"));
        all.addAll(settings);
        RedisServer master = RedisServer.start(all.toArray(String[]::new));
        servers.add(master);
        all.add("replicaof 127.0.0.1 " + master.port());
        for (int i = 0; i < REPLICAS; i++) {
            servers.add(RedisServer.start(all.toArray(String[]::new)));
        }
        for (RedisServer replica : servers.subList(1, servers.size())) {
            Await.until(LIMIT, () -> follows(replica, master), () -> "a replica does not follow: " + replica.log());
        }
    }

    private void startSentinels() {
        int master = servers.get(0).port();
        List<String> settings = List.of(
                "sentinel monitor %s 127.0.0.1 %d %d".formatted(MASTER_NAME, master, QUORUM),
                "sentinel down-after-milliseconds " + MASTER_NAME + " 1000",
                "sentinel failover-timeout " + MASTER_NAME + " 3000");
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(RedisServer.startSentinel(settings));
        }
        sentinels.forEach(RedisSentinels::hasten);
        for (RedisServer sentinel : sentinels) {
            Await.until(LIMIT, () -> knowsAll(sentinel), () -> "a sentinel does not know all: " + sentinel.log());
        }
    }

    /**
     * Else a sentinel asks who is there every ten seconds only, and takes as long to make a former master a replica. And it
     * would connect once a second at most, the last time in vain to the dead master: for the new one that may be too late for
     * an answer within the second after which a master counts as down, and a master that is well would be replaced.
     */
    private static void hasten(RedisServer sentinel) {
        try (RespClient client = sentinel.client()) {
            client.call("SENTINEL", "DEBUG", "INFO-PERIOD", "500", "PUBLISH-PERIOD", "250", "PING-PERIOD", "250");
        }
    }

    private String logs() {
        return Stream.concat(sentinels.stream(), servers.stream())
                .map(server -> "\n--- " + server.port() + "\n" + server.log())
                .collect(Collectors.joining());
    }

    private Optional<RedisServer> agreed() {
        List<Integer> named = sentinels.stream()
                .filter(RedisServer::isAlive)
                .map(RedisSentinels::masterPort)
                .distinct()
                .toList();
        return named.size() == 1
                ? Optional.of(master())
                        .filter(master -> field(master, "role", "replication").equals("master"))
                : Optional.empty();
    }

    private int masterPort() {
        return sentinels.stream()
                .filter(RedisServer::isAlive)
                .findFirst()
                .map(RedisSentinels::masterPort)
                .orElseThrow(() -> new ServerException("no sentinel lives"));
    }

    private static int masterPort(RedisServer sentinel) {
        try (RespClient client = sentinel.client()) {
            List<?> address = client.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
            return Integer.parseInt(String.valueOf(address.get(1)));
        }
    }

    private static boolean follows(RedisServer replica, RedisServer master) {
        return field(replica, "master_link_status", "replication").equals("up")
                && field(replica, "master_port", "replication").equals(Integer.toString(master.port()));
    }

    private static boolean knowsAll(RedisServer sentinel) {
        return field(sentinel, "master0", "sentinel")
                .endsWith("status=ok,address=127.0.0.1:%d,slaves=%d,sentinels=%d"
                        .formatted(masterPort(sentinel), REPLICAS, SENTINELS));
    }

    /** A field of a section of {@code INFO}; empty if the server does not answer. */
    private static String field(RedisServer server, String field, String section) {
        try (RespClient client = server.client()) {
            return client.field(field, "INFO", section);
        } catch (UncheckedIOException gone) {
            return "";
        }
    }
}
