package io.holdfast.soak;

import io.holdfast.servers.BlackHole;
import io.holdfast.servers.Direction;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The way to a server, and what can be done to it. */
final class Network implements AutoCloseable {

    private final TcpProxy proxy;
    private final List<String> requests;
    private final List<PlannedCut> cuts = new ArrayList<>();
    private final List<BlackHole> holes = new ArrayList<>();

    /**
     * @param port of the server
     * @param requests texts, one of which a request has that is to be lost
     */
    Network(int port, List<String> requests) {
        this.proxy = TcpProxy.to(port);
        this.requests = requests;
    }

    /** Where the server seems to listen. */
    int port() {
        return proxy.port();
    }

    /** Does it, and returns when it is over. */
    void cause(Fault fault, Random dice) {
        switch (fault) {
            case CUT_ALL_CONNECTIONS -> proxy.cut();
            case LOSE_A_REPLY -> cuts.add(proxy.loseReplyTo(anyRequest(dice)));
            case LOSE_A_REQUEST -> cuts.add(proxy.loseRequest(anyRequest(dice)));
            case REFUSE_CONNECTIONS -> {
                proxy.refuse();
                proxy.cut();
                Length.SHORT.pass(dice);
                proxy.accept();
            }
            case SWALLOW_CONNECTIONS -> {
                proxy.refuse();
                BlackHole hole = new BlackHole(proxy.port());
                holes.add(hole);
                proxy.cut();
                Length.SHORT.pass(dice);
                hole.stop();
                proxy.accept();
            }
            case STALL_REQUESTS_SHORT -> stall(Direction.TO_SERVER, Length.SHORT, dice);
            case STALL_REQUESTS_LONG -> stall(Direction.TO_SERVER, Length.LONG, dice);
            case STALL_REPLIES_SHORT -> stall(Direction.TO_CLIENT, Length.SHORT, dice);
            case STALL_REPLIES_LONG -> stall(Direction.TO_CLIENT, Length.LONG, dice);
            case DELAY_ALL -> {
                proxy.delay(Duration.ofMillis(dice.nextInt(5, 51)));
                Length.pass(Duration.ofMillis(dice.nextInt(500, 3_000)));
                proxy.delay(Duration.ZERO);
            }
            default -> throw new IllegalArgumentException("No fault of a network: " + fault);
        }
    }

    private String anyRequest(Random dice) {
        return requests.size() == 1 ? requests.get(0) : requests.get(dice.nextInt(requests.size()));
    }

    private void stall(Direction direction, Length length, Random dice) {
        proxy.stall(direction);
        length.pass(dice);
        proxy.flow(direction);
    }

    /** Nothing fails from now on. Every fault ends what it has begun; only cuts may not have met their request. */
    void heal() {
        cuts.forEach(PlannedCut::cancel);
        cuts.clear();
    }

    @Override
    public void close() {
        holes.forEach(BlackHole::close);
        proxy.close();
    }
}
