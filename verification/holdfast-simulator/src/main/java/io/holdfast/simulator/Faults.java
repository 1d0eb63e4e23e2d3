package io.holdfast.simulator;

import io.holdfast.HoldfastException;
import io.holdfast.monitoring.LockInfo;
import java.util.List;

/** What goes wrong in a history, apart from the network's daily troubles. */
final class Faults {

    private final Simulation simulation;
    private final World world;
    private final Network network;
    private final SimServer server;
    private final List<Node> nodes;
    private final boolean wallClocksStep;

    /**
     * Tokens grow unless the server loses data and its clock is behind: a history has one or the other. So in this one data
     * is safe, and in all others the clock of the server is only ever set forward.
     */
    private final boolean serverClockStepsBack;

    Faults(Simulation simulation, Network network, SimServer server, List<Node> nodes) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.network = network;
        this.server = server;
        this.nodes = nodes;
        this.wallClocksStep = world.chance(0.2);
        this.serverClockStepsBack = world.chance(0.2);
    }

    /** Something goes wrong now. */
    void strike() {
        Node node = nodes.get(world.pick(nodes.size()));
        switch (world.pick(14)) {
            case 0, 1 -> node.process().pauseFor(pause());
            case 2 -> network.cutFor(pause());
            case 3 -> partition(node);
            case 4 -> server.process().pauseFor(pause());
            case 5 -> server.process().suspendFor(pause());
            case 6 -> stepServerClock();
            case 7 -> loseData();
            case 8 -> {
                node.kill();
                simulation.beliefs().endAllOf(node.process());
                simulation.start();
            }
            case 9 ->
                node.process().enter(() -> {
                    world.trace(node.toString(), "closes");
                    node.close();
                });
            case 10 -> revoke(node);
            case 11, 12 -> forceRelease(node);
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

    /** One process alone is cut off: in both directions, or in one of them. */
    private void partition(Node node) {
        long duration = pause();
        int directions = 1 + world.pick(3);
        if ((directions & 1) != 0) {
            node.client().link().cut(Link.Direction.REQUESTS, duration);
        }
        if ((directions & 2) != 0) {
            node.client().link().cut(Link.Direction.ANSWERS, duration);
        }
    }

    private void stepServerClock() {
        server.stepClock(world.between(serverClockStepsBack ? -3_000_000 : 0, 3_000_000));
    }

    /** All of it, or the last writes before a failover. */
    private void loseData() {
        if (serverClockStepsBack) {
            stepServerClock();
        } else if (world.chance(0.4)) {
            server.restartEmpty();
        } else {
            server.failOverIn(world.between(10 * World.MILLI, 500 * World.MILLI));
        }
    }

    /** A client revokes what the store says is held, without its engine. */
    private void revoke(Node node) {
        List<LockInfo> taken =
                server.leftovers().stream().filter(info -> !info.isFree()).toList();
        if (!taken.isEmpty()) {
            LockInfo info = taken.get(world.pick(taken.size()));
            long token = info.holders().get(world.pick(info.holders().size())).token();
            world.trace(node.toString(), "revokes '" + info.name() + "' token " + token);
            var unused = node.client().revoke(info.name(), token);
        }
    }

    /** A user releases by force what is held in the same process, or in another. */
    private void forceRelease(Node node) {
        Belief victim = simulation.beliefs().any();
        if (victim != null) {
            Node by = world.chance(0.7) ? victim.node : node;
            by.process().enter(() -> forceRelease(by, victim, simulation.resource(victim.lease.name())));
        }
    }

    /** Releases the lease by force, now and in {@code by}; whether that has been done may not be known. */
    void forceRelease(Node by, Belief victim, Resource resource) {
        if (by.isClosed() || victim.isOver()) {
            return;
        }
        world.trace(by.toString(), "releases by force " + victim);
        if (by == victim.node && victim.receipt != null) {
            victim.receipt.revoking = true;
        }
        try {
            boolean done =
                    by.client().atOnce(() -> by.holdfast().forceRelease(victim.lease.name(), victim.lease.token()));
            world.trace(by.toString(), done ? "has released it" : "finds that it is not held");
        } catch (HoldfastException unavailable) {
            world.trace(by.toString(), "does not know whether it is released");
        }
    }

    private long pause() {
        return world.chance(0.5) ? world.between(0, World.SECOND) : world.between(0, 10 * World.SECOND);
    }
}
