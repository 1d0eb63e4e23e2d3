package io.holdfast.servers;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Redis Cluster of masters without replicas that share the slots evenly. A node counts as failed after two seconds. */
public final class RedisCluster implements AutoCloseable {

    /** How many slots a cluster has. */
    public static final int SLOTS = 16_384;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int USUAL_SIZE = 3;
    private static final String KEYS_AT_ONCE = "100";
    private static final String MIGRATE_LIMIT_MILLIS = "5000";

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {}

    /** Starts three nodes and waits until all of them agree that the cluster is complete. */
    public static RedisCluster start(String... settings) {
        return start(USUAL_SIZE, settings);
    }

    /** Starts this many nodes and waits until all of them agree that the cluster is complete. */
    public static RedisCluster start(int size, String... settings) {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.startNodes(size, List.of(settings));
            cluster.join();
            return cluster;
        } catch (RuntimeException | Error failed) {
            cluster.close();
            throw failed;
        }
    }

    /** The slot of a key: of the part in braces if there is one, as in {@code "{user1}:name"}. */
    public static int slotOf(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        String hashed = close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte each : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (each & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
            }
        }
        return (crc & 0xffff) % SLOTS;
    }

    /** As {@code redis-cluster://127.0.0.1:p1,127.0.0.1:p2,127.0.0.1:p3}. */
    public String url() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The node that has the slot, as the first node sees it that lives. */
    public RedisServer nodeOf(int slot) {
        RedisServer witness = nodes.stream()
                .filter(RedisServer::isAlive)
                .findFirst()
                .orElseThrow(() -> new ServerException("no node lives"));
        return nodeOf(slot, witness);
    }

    /**
     * Moves a slot with its keys to another node, as a resharding does: step by step, while clients go on. Returns when all
     * nodes know. All nodes have to run.
     */
    public void migrate(int slot, RedisServer to) {
        RedisServer from = nodeOf(slot);
        if (from == to) {
            return;
        }
        String number = Integer.toString(slot);
        call(to, "CLUSTER", "SETSLOT", number, "IMPORTING", idOf(from));
        call(from, "CLUSTER", "SETSLOT", number, "MIGRATING", idOf(to));
        try (RespClient client = from.client()) {
            for (List<?> keys = keysOf(number, client); !keys.isEmpty(); keys = keysOf(number, client)) {
                Stream<String> target = Stream.of(
                        "MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", MIGRATE_LIMIT_MILLIS, "KEYS");
                client.call(Stream.concat(target, keys.stream().map(String::valueOf))
                        .toArray(String[]::new));
            }
        }
        // The new owner first: until the old one knows, it sends clients there.
        String owner = idOf(to);
        Stream.concat(Stream.of(to, from), nodes.stream().filter(node -> node != to && node != from))
                .forEach(node -> call(node, "CLUSTER", "SETSLOT", number, "NODE", owner));
        Await.until(
                LIMIT,
                () -> nodes.stream().allMatch(node -> nodeOf(slot, node) == to && epochOf(to, node) == epochOf(to, to)),
                () -> "not all nodes know the new owner of slot " + slot);
    }

    /** Ends all of them. Idempotent. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    private void startNodes(int size, List<String> settings) {
        List<String> all = new ArrayList<>(
                List.of("cluster-enabled yes", "cluster-node-timeout 2000", "cluster-announce-ip 127.0.0.1"));
        all.addAll(settings);
        for (int i = 0; i < size; i++) {
            nodes.add(RedisServer.start(all.toArray(String[]::new)));
        }
    }

    private void join() {
        int size = nodes.size();
        IntStream.range(0, size).forEach(i -> {
            RedisServer node = nodes.get(i);
            int first = i * SLOTS / size;
            int last = (i + 1) * SLOTS / size - 1;
            call(node, "CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
            // Epochs that differ from the start need not be sorted out among the nodes.
            call(node, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        });
        for (RedisServer node : nodes.subList(1, size)) {
            call(nodes.get(0), "CLUSTER", "MEET", "127.0.0.1", Integer.toString(node.port()));
        }
        for (RedisServer node : nodes) {
            Await.until(LIMIT, () -> isComplete(node), () -> "the cluster is not complete: " + node.log());
        }
    }

    private boolean isComplete(RedisServer node) {
        try (RespClient client = node.client()) {
            return client.field("cluster_state", "CLUSTER", "INFO").equals("ok")
                    && client.field("cluster_size", "CLUSTER", "INFO").equals(Integer.toString(nodes.size()));
        }
    }

    private RedisServer nodeOf(int slot, RedisServer witness) {
        try (RespClient client = witness.client()) {
            for (Object each : client.list("CLUSTER", "SLOTS")) {
                // A range is its first slot, its last slot, and the node: address, port, …
                List<?> range = (List<?>) each;
                if ((Long) range.get(0) <= slot && slot <= (Long) range.get(1)) {
                    long port = (Long) ((List<?>) range.get(2)).get(1);
                    return nodes.stream()
                            .filter(node -> node.port() == port)
                            .findFirst()
                            .orElseThrow();
                }
            }
        }
        throw new ServerException("no node has slot " + slot);
    }

    /**
     * The epoch of a node as another sees it. With a slot its new owner gets the highest one. Who does not know that yet may still
     * believe the former owner, from whom a message can be under way that claims the slot.
     */
    private static long epochOf(RedisServer node, RedisServer witness) {
        try (RespClient client = witness.client()) {
            // A line is: id, address, flags, master, ping sent, pong received, epoch, …
            return client.text("CLUSTER", "NODES")
                    .lines()
                    .map(line -> line.split(" ", -1))
                    .filter(words -> words[1].startsWith("127.0.0.1:" + node.port() + "@"))
                    .mapToLong(words -> Long.parseLong(words[6]))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<?> keysOf(String slot, RespClient client) {
        return client.list("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE);
    }

    private static String idOf(RedisServer node) {
        try (RespClient client = node.client()) {
            return client.text("CLUSTER", "MYID");
        }
    }

    private static void call(RedisServer node, String... words) {
        try (RespClient client = node.client()) {
            client.call(words);
        }
    }
}
