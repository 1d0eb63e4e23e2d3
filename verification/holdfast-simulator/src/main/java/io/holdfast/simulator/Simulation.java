package io.holdfast.simulator;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.spi.WaitingStore;
import io.holdfast.tck.Span;
import io.holdfast.tck.TokenSweep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One history: what a seed makes of a few processes, a server, a network and their faults; and what is wrong with it. */
public final class Simulation {

    private static final long DRAIN = 300 * World.SECOND;
    private static final long PROBE = 100 * World.MILLI;

    /** Long enough for a release to be repeated a few times, shorter than the longest lease. */
    private static final long AFTER_THE_LAST_RELEASE = 2_500 * World.MILLI;

    private final World world;
    private final Network network;
    private final SimServer server;
    private final Beliefs beliefs;
    private final Arrivals arrivals = new Arrivals();
    private final Plant plant;
    private final String[] names;
    private final Map<String, FencedCounter> counters = new TreeMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final Set<Holdfast> closed = new HashSet<>();
    /** A world without faults, in which nothing may expire. */
    private final boolean calm;

    private final boolean wallClocksStep;
    private final boolean holdsAtLeast;
    private final int actorsPerProcess;
    private final List<String> left = new ArrayList<>();
    private long end;
    private int started;
    private boolean over;

    private record Node(SimProcess process, SimClient client, Holdfast holdfast) {}

    /**
     * What came of it.
     *
     * @param violations what is wrong; empty if nothing is
     * @param leases how many leases there were
     * @param writes how many fenced writes were accepted
     */
    public record Result(List<String> violations, int leases, long writes) {}

    private Simulation(long seed, Plant plant, @Nullable StringBuilder trace) {
        this.world = new World(seed, trace);
        this.plant = plant;
        this.calm = world.chance(0.15);
        this.network = new Network(world, calm);
        this.beliefs = new Beliefs(world);
        this.server = new SimServer(world, plant, world.chance(0.5), calm, rate(), (id, name) -> wakeUp(name));
        this.names = new String[1 + world.pick(2)];
        for (int i = 0; i < names.length; i++) {
            names[i] = "lock-" + i;
            counters.put(names[i], new FencedCounter());
        }
        this.wallClocksStep = world.chance(0.2);
        this.holdsAtLeast = world.chance(0.3);
        this.actorsPerProcess = 1 + world.pick(4);
    }

    /** Runs the history of {@code seed}; writes down what happens if {@code trace} is there. */
    public static Result run(long seed, Plant plant, @Nullable StringBuilder trace) {
        Simulation simulation = new Simulation(seed, plant, trace);
        simulation.play();
        return simulation.judge();
    }

    World world() {
        return world;
    }

    Beliefs beliefs() {
        return beliefs;
    }

    Arrivals arrivals() {
        return arrivals;
    }

    /** Names stay taken after a release in this world, so what is left behind cannot be told from what is meant. */
    boolean holdsAtLeast() {
        return holdsAtLeast;
    }

    boolean isCalm() {
        return calm;
    }

    boolean isOver() {
        return over;
    }

    boolean isClosed(Holdfast holdfast) {
        return closed.contains(holdfast);
    }

    String anyName() {
        return names[world.pick(names.length)];
    }

    FencedCounter counter(String name) {
        return counters.computeIfAbsent(name, key -> new FencedCounter());
    }

    private void play() {
        int processes = 2 + world.pick(3);
        for (int i = 0; i < processes; i++) {
            start();
        }
        end = world.now() + world.between(3 * World.SECOND, 15 * World.SECOND);
        int faults = calm ? 0 : world.pick(10);
        for (int i = 0; i < faults; i++) {
            world.at(world.between(world.now(), end), this::fault);
        }
        world.runUntil(end);
        over = true;
        network.heal();
        world.in(PROBE, this::probe);
        world.runUntil(end + DRAIN);
    }

    /** When everybody has gone home, what the store keeps for a process that is alive and well was dropped by it. */
    private void probe() {
        boolean asleep = !server.process().isRunning()
                || nodes.stream().anyMatch(node -> !node.process.isRunning() && !node.process.isDead());
        if (asleep || actors.stream().anyMatch(Actor::isStuck)) {
            if (world.now() < end + DRAIN / 2) {
                world.in(PROBE, this::probe);
            }
        } else if (!holdsAtLeast && server.amnesias().isEmpty()) {
            world.in(
                    AFTER_THE_LAST_RELEASE,
                    () -> server.keptFor(id -> nodes.stream()
                                    .filter(node -> node.client.owns(id))
                                    .anyMatch(node -> node.process.isRunning() && !closed.contains(node.holdfast)))
                            .forEach(claim -> left.add("Dropped without being given back: " + claim)));
        }
    }

    private void start() {
        SimProcess process = new SimProcess(world, "process-" + ++started, rate());
        SimClient client = new SimClient(process, server, network, plant);
        Holdfast holdfast = Holdfast.builder(
                        environment -> new WaitingStore(client, environment, Duration.ofSeconds(1)))
                .environment(process.environment())
                .label(process.toString())
                .handOff(1 + world.pick(8), Duration.ofMillis(world.between(0, 200)))
                .shutdownGrace(Duration.ZERO)
                .build();
        process.afterEachStep(() -> beliefs.look(process));
        nodes.add(new Node(process, client, holdfast));
        long think = world.between(World.MILLI, 300 * World.MILLI);
        for (int i = 0; i < actorsPerProcess; i++) {
            Actor actor = new Actor(this, process, holdfast, think);
            actors.add(actor);
            actor.next();
        }
    }

    /** Clocks differ by at most 0.4 % from the world, so by at most 0.8 % from each other. */
    private double rate() {
        return 0.996 + 0.008 * world.fraction();
    }

    private void wakeUp(String name) {
        for (Node node : nodes) {
            network.carry(node.process, () -> node.client.wakeUp(name));
        }
    }

    private void fault() {
        Node node = nodes.get(world.pick(nodes.size()));
        switch (world.pick(9)) {
            case 0, 1 -> node.process.pauseFor(pause());
            case 2 -> network.cutFor(pause());
            case 3 -> server.process().pauseFor(pause());
            case 4 -> server.restartEmpty();
            case 5 -> {
                node.process.kill();
                beliefs.endAllOf(node.process);
                start();
            }
            case 6 ->
                node.process.enter(() -> {
                    world.trace(node.process.toString(), "closes");
                    if (closed.add(node.holdfast)) {
                        node.holdfast.close();
                    }
                });
            case 7 -> breakLock(node);
            default -> {
                // Not both in one history: a clock that is set back while the machine sleeps hides the sleep.
                if (wallClocksStep) {
                    node.process.stepWallClock(world.between(-3_000_000, 3_000_000));
                } else {
                    node.process.suspendFor(pause());
                }
            }
        }
    }

    /** Somebody looks at a lock and takes it away from its holder, by the store's word alone. */
    private void breakLock(Node node) {
        String name = anyName();
        for (LockInfo info : server.leftovers()) {
            if (info.name().equals(name) && !info.isFree()) {
                long token = info.holders().get(0).firstToken();
                world.trace(node.process.toString(), "breaks '" + name + "' token " + token);
                var unused = node.client.revoke(name, token);
            }
        }
    }

    private long pause() {
        return world.chance(0.5) ? world.between(0, World.SECOND) : world.between(0, 10 * World.SECOND);
    }

    private Result judge() {
        List<String> violations = new ArrayList<>(TokenSweep.check(beliefs.spans(), this::excused));
        counters.forEach((name, counter) -> {
            if (counter.lostUpdates() != 0) {
                violations.add("Lost updates behind the fence of '" + name + "': " + counter.lostUpdates());
            }
        });
        for (Actor actor : actors) {
            if (actor.isStuck()) {
                violations.add("Somebody is still waiting, or could not give back, long after all faults were healed");
            }
        }
        if (!world.isQuiet()) {
            violations.add("Something still ticks although nothing is held: " + world.agenda());
        }
        violations.addAll(server.complaints());
        violations.addAll(arrivals.complaints());
        violations.addAll(left);
        long writes =
                counters.values().stream().mapToLong(FencedCounter::accepted).sum();
        return new Result(violations, beliefs.spans().size(), writes);
    }

    /**
     * A server that forgot a grant, or a lease taken by force, makes two holders; what remains is the order of the tokens.
     * When the grant was made can be read from its token: microseconds on the server's clock.
     */
    private boolean excused(Span earlier, Span later) {
        long granted = server.process().toWorld(earlier.token() * 1_000) - World.MILLI;
        return server.amnesias().stream().anyMatch(at -> granted <= at && at <= later.from());
    }
}
