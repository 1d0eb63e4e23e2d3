package io.holdfast.simulator;

import io.holdfast.LockInfo;
import java.util.List;

/** What goes wrong in a history, apart from the network's daily troubles. */
final class Faults {

    private final Simulation simulation;
    private final World world;
    private final Network network;
    private final SimServer server;
    private final List<Node> nodes;
    private final boolean wallClocksStep;

    Faults(Simulation simulation, Network network, SimServer server, List<Node> nodes) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.network = network;
        this.server = server;
        this.nodes = nodes;
        this.wallClocksStep = world.chance(0.2);
    }

    /** Something goes wrong now. */
    void strike() {
        Node node = nodes.get(world.pick(nodes.size()));
        switch (world.pick(9)) {
            case 0, 1 -> node.process().pauseFor(pause());
            case 2 -> network.cutFor(pause());
            case 3 -> server.process().pauseFor(pause());
            case 4 -> server.restartEmpty();
            case 5 -> {
                node.kill();
                simulation.beliefs().endAllOf(node.process());
                simulation.start();
            }
            case 6 ->
                node.process().enter(() -> {
                    world.trace(node.toString(), "closes");
                    node.close();
                });
            case 7 -> breakLock(node);
            default -> {
                // Not both in one history: a clock that is set back while the machine sleeps hides the sleep.
                if (wallClocksStep) {
                    node.process().stepWallClock(world.between(-3_000_000, 3_000_000));
                } else {
                    node.process().suspendFor(pause());
                }
            }
        }
    }

    /** Somebody looks at a name and takes it away from a holder, by the store's word alone. */
    private void breakLock(Node node) {
        List<LockInfo> taken =
                server.leftovers().stream().filter(info -> !info.isFree()).toList();
        if (!taken.isEmpty()) {
            LockInfo info = taken.get(world.pick(taken.size()));
            long token = info.holders().get(world.pick(info.holders().size())).firstToken();
            world.trace(node.toString(), "breaks '" + info.name() + "' token " + token);
            var unused = node.client().revoke(info.name(), token);
        }
    }

    private long pause() {
        return world.chance(0.5) ? world.between(0, World.SECOND) : world.between(0, 10 * World.SECOND);
    }
}
