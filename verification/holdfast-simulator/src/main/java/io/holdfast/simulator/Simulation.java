package io.holdfast.simulator;

import io.holdfast.Holdfast;
import io.holdfast.spi.support.WaitingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private final Arrivals arrivals;
    private final Plant plant;
    private final List<Resource> resources = new ArrayList<>();
    private final List<Resource> locks;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final Faults faults;
    /** A world without faults, in which nothing may expire. */
    private final boolean calm;

    private final boolean holdsAtLeast;
    private final int actorsPerProcess;
    private final @Nullable Elections elections;
    private final List<String> complaints = new ArrayList<>();
    private @Nullable Drill drill;
    private @Nullable InterruptDrill interruptDrill;
    private long end;
    private int started;
    private boolean over;

    /**
     * What came of it.
     *
     * @param violations what is wrong; empty if nothing is
     * @param leases how many leases there were, by role
     * @param writes how many fenced writes were accepted
     */
    public record Result(List<String> violations, Map<Role, Integer> leases, long writes) {}

    private Simulation(long seed, Plant plant, @Nullable StringBuilder trace) {
        this.world = new World(seed, trace);
        this.arrivals = new Arrivals(world);
        this.plant = plant;
        this.calm = world.chance(0.15);
        this.network = new Network(world, calm);
        this.beliefs = new Beliefs(world);
        this.server = new SimServer(world, plant, calm, rate(), beliefs, this::wakeUp);
        int names = 1 + world.pick(3);
        for (int i = 0; i < names; i++) {
            Resource.Kind kind = Resource.Kind.any(world);
            resources.add(Resource.ofKind(kind, kind + "-" + i, world));
        }
        int more = world.chance(0.25) ? 1 + world.pick(2) : 0;
        for (int i = 0; i < more; i++) {
            resources.add(Resource.ofKind(Resource.Kind.LOCK, "LOCK-" + (names + i), world));
        }
        this.locks = resources.stream()
                .filter(each -> each.kind() == Resource.Kind.LOCK)
                .toList();
        this.elections = world.chance(0.25) ? new Elections(this) : null;
        this.faults = new Faults(this, network, server, nodes);
        this.holdsAtLeast = world.chance(0.3);
        this.actorsPerProcess = 1 + world.pick(4);
    }

    /** Runs the history of {@code seed}; writes down what happens if {@code trace} is there. */
    public static Result run(long seed, Plant plant, @Nullable StringBuilder trace) {
        Simulation simulation = new Simulation(seed, plant, trace);
        try {
            simulation.play();
        } catch (RuntimeException thrown) {
            return new Result(List.of("Thrown at a user: " + thrown), Map.of(), 0);
        }
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

    Resource anyResource() {
        return resources.get(world.pick(resources.size()));
    }

    /** That of the name, for which some process has a lease. */
    Resource resource(String name) {
        for (Resource resource : resources) {
            if (resource.name().equals(name)) {
                return resource;
            }
        }
        return Objects.requireNonNull(elections, name).seat();
    }

    /** Those of the resources that can be taken in sets. */
    List<Resource> locks() {
        return locks;
    }

    void complain(String violation) {
        complaints.add(violation);
    }

    void check(Deadline deadline) {
        if (deadline.isMissed(world.now())) {
            complain("The end of a wait was missed in " + deadline.process());
        }
    }

    private void play() {
        int processes = 2 + world.pick(3);
        for (int i = 0; i < processes; i++) {
            start();
        }
        end = world.now() + world.between(3 * World.SECOND, 15 * World.SECOND);
        int strikes = calm ? 0 : world.pick(10);
        for (int i = 0; i < strikes; i++) {
            world.at(world.between(world.now(), end), faults::strike);
        }
        world.runUntil(end);
        over = true;
        network.heal();
        if (elections != null) {
            elections.endWithALeader();
        }
        world.in(PROBE, this::probe);
        world.runUntil(end + DRAIN);
    }

    private boolean isAnybodyAsleep() {
        return !server.process().isRunning() || nodes.stream().anyMatch(Node::isAsleep);
    }

    private boolean isAnybodyThere() {
        return actors.stream().anyMatch(Actor::isStuck) || (elections != null && !elections.isEverybodyDone());
    }

    /** Waits until everybody is awake and has gone home. */
    private void probe() {
        if (!isAnybodyAsleep() && !isAnybodyThere()) {
            world.in(AFTER_THE_LAST_RELEASE, () -> {
                checkNothingWasDropped();
                exercise();
            });
        } else if (world.now() < end + DRAIN / 2) {
            world.in(PROBE, this::probe);
        }
    }

    /** What the store keeps for a process that is alive and well was dropped by it. */
    private void checkNothingWasDropped() {
        if (!holdsAtLeast && beliefs.history().isComplete()) {
            server.keptFor(id -> nodes.stream()
                            .filter(node -> node.client().owns(id))
                            .anyMatch(Node::isUp))
                    .forEach(claim -> complain("Dropped without being given back: " + claim));
        }
    }

    private void exercise() {
        List<Node> up = nodes.stream().filter(Node::isUp).toList();
        if (up.isEmpty()) {
            return;
        }
        Drill its = new Drill(this, up);
        drill = its;
        switch (world.pick(11)) {
            case 0 -> its.downgrade();
            case 1 -> its.impatience();
            case 2 -> its.sets();
            case 3 -> {
                if (server.queues()) {
                    its.crowd();
                }
            }
            case 4 -> {
                // Whoever overstays lets its lease run out.
                if (!calm) {
                    its.overstay();
                }
            }
            case 5 -> its.forcedRelease(faults);
            case 6 -> {
                if (!calm) {
                    its.lateHandOver();
                }
            }
            case 7 -> {
                interruptDrill = new InterruptDrill(world, server, up.get(world.pick(up.size())));
                interruptDrill.start();
            }
            default -> {}
        }
    }

    /** One more process, with its users. */
    void start() {
        SimProcess process = new SimProcess(world, "process-" + ++started, rate());
        SimClient client = new SimClient(world, process, server, network, beliefs, plant);
        int handOffs = 1 + world.pick(8);
        long slice = world.between(0, 200 * World.MILLI);
        EventBalance events = new EventBalance();
        Holdfast holdfast = Holdfast.builder(
                        environment -> new WaitingStore(client, environment, Duration.ofSeconds(1)))
                .environment(process.environment())
                .label(process.toString())
                .localHandOff(handOffs, Duration.ofNanos(slice))
                .shutdownGrace(Duration.ZERO)
                .listener(events)
                .build();
        process.afterEachStep(() -> beliefs.look(process));
        Node node = new Node(process, client, holdfast, handOffs == 1 ? 0 : slice, events);
        nodes.add(node);
        long think = world.between(World.MILLI, 300 * World.MILLI);
        for (int i = 0; i < actorsPerProcess; i++) {
            Actor actor = new Actor(this, node, think);
            actors.add(actor);
            actor.next();
        }
        if (elections != null && world.chance(0.7)) {
            elections.enter(node);
        }
    }

    /** Clocks differ by at most 0.4 % from the world, so by at most 0.8 % from each other. */
    private double rate() {
        return 0.996 + 0.008 * world.fraction();
    }

    private void wakeUp(String name) {
        for (Node node : nodes) {
            if (!node.process().isDead()) {
                node.client().wakeUp(name);
            }
        }
    }

    private Result judge() {
        Verdict verdict = new Verdict(server, beliefs.history());
        if (drill != null) {
            resources.addAll(drill.resources());
            complaints.addAll(drill.complaints());
        }
        if (interruptDrill != null) {
            complaints.addAll(interruptDrill.complaints());
        }
        if (elections != null) {
            resources.add(elections.seat());
            complaints.addAll(elections.complaints());
        }
        resources.forEach(resource -> verdict.hear(resource, beliefs.past()));
        server.complaints().forEach(verdict::add);
        beliefs.complaints().forEach(verdict::add);
        arrivals.complaints().forEach(verdict::add);
        complaints.forEach(verdict::add);
        if (isAnybodyThere()) {
            verdict.add("Somebody is still waiting, or could not give back, long after all faults were healed");
        }
        if (!world.isQuiet()) {
            verdict.add("Something still ticks although nothing is held: " + world.agenda());
        }
        nodes.forEach(node -> node.eventViolations().forEach(each -> verdict.add(node + ": " + each)));
        verdict.nothingIsLeft(nodes, resources);
        long writes = resources.stream()
                .mapToLong(resource -> resource.counter().accepted())
                .sum();
        return new Result(verdict.violations(), verdict.leases(), writes);
    }
}
