package io.holdfast.soak;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/** A Redis with the locks, the network before it, and another one with the data, to which nothing happens. */
final class RedisPlace implements Place {

    private final boolean persistent;
    private final RedisServer server;
    private final RedisServer fenced;
    private final Network network;
    private final Losses losses = new Losses();

    /** Every second one keeps its data on disk. */
    RedisPlace(int round) {
        this.persistent = round % 2 == 0;
        this.server = persistent ? RedisServer.start("appendonly yes", "appendfsync always") : RedisServer.start();
        this.fenced = RedisServer.start();
        this.network = new Network(server.port(), List.of("EVALSHA"));
    }

    @Override
    public String locks() {
        return "redis://127.0.0.1:" + network.port();
    }

    @Override
    public String data() {
        return fenced.url();
    }

    @Override
    public Losses losses() {
        return losses;
    }

    @Override
    public void cause(Fault fault, Random dice) {
        switch (fault) {
            case KILL_PUBSUB_CONNECTIONS -> ask("CLIENT", "KILL", "TYPE", "pubsub");
            case PAUSE_SERVER_SHORT -> pause(Length.SHORT, dice);
            case PAUSE_SERVER_LONG -> pause(Length.LONG, dice);
            case RESTART_SERVER -> restart();
            case SCRIPT_FLUSH -> ask("SCRIPT", "FLUSH");
            case FLUSHALL -> flush();
            default -> network.cause(fault, dice);
        }
    }

    @Override
    public void heal() {
        network.heal();
    }

    private void pause(Length length, Random dice) {
        server.pause();
        length.pass(dice);
        server.resume();
    }

    private void restart() {
        long before = System.nanoTime();
        server.kill();
        // The clock of the server is that of this machine, and nobody can have been given anything since.
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        server.restart();
        if (!persistent) {
            losses.ofAll(before, micros);
        }
    }

    /** In one step with a look at the server's clock. */
    private void flush() {
        long before = System.nanoTime();
        try (RespClient client = server.client()) {
            client.call("MULTI");
            client.call("FLUSHALL");
            client.call("TIME");
            List<?> time = (List<?>) Objects.requireNonNull(client.list("EXEC").get(1));
            losses.ofAll(before, Long.parseLong(time.get(0) + "") * 1_000_000 + Long.parseLong(time.get(1) + ""));
        }
    }

    private void ask(String... words) {
        try (RespClient client = server.client()) {
            client.call(words);
        }
    }

    @Override
    public Map<String, List<FencedWrites.Entry>> written(Names names) {
        Map<String, List<FencedWrites.Entry>> data = new TreeMap<>();
        try (RespClient client = fenced.client()) {
            for (String name : names.capacities().keySet()) {
                data.put(
                        name,
                        client.list("LRANGE", name, "0", "-1").stream()
                                .map(entry -> FencedWrites.Entry.parse((String) entry))
                                .toList());
            }
        }
        return data;
    }

    @Override
    public List<String> leftovers(Duration patience) {
        return RedisLeftovers.in(server, patience);
    }

    @Override
    public void close() {
        network.close();
        fenced.close();
        server.close();
    }

    @Override
    public String toString() {
        return persistent ? "data on disk" : "data in memory";
    }
}
