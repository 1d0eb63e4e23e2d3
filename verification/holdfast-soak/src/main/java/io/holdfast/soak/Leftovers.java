package io.holdfast.soak;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Checks that nothing is left behind when everybody has gone: no holder, no waiter, no connection, no thread. */
final class Leftovers {

    /** Ends come in their own time: a driver's threads stop one after the other, a server notices a closed connection. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What may stay in the key of a name until its retention is over. */
    private static final Set<String> REMEMBERED = Set.of("layout", "last", "gone");

    private Leftovers() {}

    /** What is left in a server that nobody but the caller uses any more. */
    static List<String> in(RedisServer server, Duration patience) {
        try (RespClient client = server.client()) {
            List<String> left = new ArrayList<>(gone(patience, () -> connections(client)));
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
            if (!REMEMBERED.contains((String) field)) {
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

    /** What is left of threads that belong to locks and connections. */
    static List<String> threads(Duration patience) {
        return gone(
                patience,
                () -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.startsWith("holdfast-") || name.startsWith("lettuce-"))
                        .sorted()
                        .map(name -> "Left thread: " + name)
                        .toList());
    }

    private static List<String> gone(Duration patience, Supplier<List<String>> look) {
        long start = System.nanoTime();
        List<String> left = look.get();
        while (!left.isEmpty() && System.nanoTime() - start < patience.toNanos()) {
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            left = look.get();
        }
        return left;
    }
}
