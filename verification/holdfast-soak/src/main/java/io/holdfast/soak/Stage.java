package io.holdfast.soak;

import io.holdfast.servers.BlackHole;
import io.holdfast.servers.Direction;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The server, the network before it and the processes of one round, and what can be done to them. */
final class Stage implements AutoCloseable {

    private static final int SHORT_FROM = 50;
    private static final int SHORT_TO = 700;
    private static final int LONG_FROM = 3_200;
    private static final int LONG_TO = 4_500;

    private final RedisServer server;
    private final TcpProxy network;
    private final boolean persistent;
    private final List<Child> children = new ArrayList<>();
    private final List<PlannedCut> cuts = new ArrayList<>();
    private final List<BlackHole> holes = new ArrayList<>();
    private final Losses losses = new Losses();

    Stage(boolean persistent) {
        this.persistent = persistent;
        this.server = persistent ? RedisServer.start("appendonly yes", "appendfsync always") : RedisServer.start();
        this.network = TcpProxy.to(server.port());
    }

    /** Where the locks are, through the network. */
    String url() {
        return "redis://127.0.0.1:" + network.port();
    }

    RedisServer server() {
        return server;
    }

    Losses losses() {
        return losses;
    }

    List<Child> children() {
        return children;
    }

    /** Does it, and returns when it is over. */
    void cause(Fault fault, Random dice) {
        switch (fault) {
            case CUT_ALL_CONNECTIONS -> network.cut();
            case LOSE_A_REPLY -> cuts.add(network.loseReplyTo("EVALSHA"));
            case LOSE_A_REQUEST -> cuts.add(network.loseRequest("EVALSHA"));
            case REFUSE_CONNECTIONS -> {
                network.refuse();
                network.cut();
                pause(SHORT_FROM, SHORT_TO, dice);
                network.accept();
            }
            case SWALLOW_CONNECTIONS -> {
                network.refuse();
                BlackHole hole = new BlackHole(network.port());
                holes.add(hole);
                network.cut();
                pause(SHORT_FROM, SHORT_TO, dice);
                hole.stop();
                network.accept();
            }
            case KILL_PUBSUB_CONNECTIONS -> ask("CLIENT", "KILL", "TYPE", "pubsub");
            case STALL_REQUESTS_SHORT -> stall(Direction.TO_SERVER, SHORT_FROM, SHORT_TO, dice);
            case STALL_REQUESTS_LONG -> stall(Direction.TO_SERVER, LONG_FROM, LONG_TO, dice);
            case STALL_REPLIES_SHORT -> stall(Direction.TO_CLIENT, SHORT_FROM, SHORT_TO, dice);
            case STALL_REPLIES_LONG -> stall(Direction.TO_CLIENT, LONG_FROM, LONG_TO, dice);
            case DELAY_ALL -> {
                network.delay(Duration.ofMillis(dice.nextInt(5, 51)));
                pause(500, 3_000, dice);
                network.delay(Duration.ZERO);
            }
            case PAUSE_SERVER_SHORT -> pauseServer(SHORT_FROM, SHORT_TO, dice);
            case PAUSE_SERVER_LONG -> pauseServer(LONG_FROM, LONG_TO, dice);
            case RESTART_SERVER -> restart();
            case SCRIPT_FLUSH -> ask("SCRIPT", "FLUSH");
            case FLUSHALL -> flush();
            case KILL_A_PROCESS -> {
                Child child = any(dice);
                child.kill();
                child.start();
            }
            case PAUSE_A_PROCESS -> any(dice).pause(Duration.ofMillis(dice.nextInt(LONG_FROM, LONG_TO)));
        }
    }

    /** Nothing fails from now on. Every fault ends what it has begun; only cuts may not have met their request. */
    void heal() {
        cuts.forEach(PlannedCut::cancel);
        cuts.clear();
        for (Child child : children) {
            child.awaitStart();
        }
    }

    private void stall(Direction direction, int least, int most, Random dice) {
        network.stall(direction);
        pause(least, most, dice);
        network.flow(direction);
    }

    private void pauseServer(int least, int most, Random dice) {
        server.pause();
        pause(least, most, dice);
        server.resume();
    }

    private void restart() {
        long before = System.nanoTime();
        server.kill();
        // The clock of the server is that of this machine, and nobody can have been given anything since.
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        server.restart();
        if (!persistent) {
            losses.add(before, micros);
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
            losses.add(before, Long.parseLong(time.get(0) + "") * 1_000_000 + Long.parseLong(time.get(1) + ""));
        }
    }

    private void ask(String... words) {
        try (RespClient client = server.client()) {
            client.call(words);
        }
    }

    private Child any(Random dice) {
        return children.get(dice.nextInt(children.size()));
    }

    private static void pause(int least, int most, Random dice) {
        try {
            TimeUnit.MILLISECONDS.sleep(dice.nextInt(least, most));
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        children.forEach(Child::close);
        holes.forEach(BlackHole::close);
        network.close();
        server.close();
    }
}
