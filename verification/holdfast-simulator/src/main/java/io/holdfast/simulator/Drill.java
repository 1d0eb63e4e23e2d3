package io.holdfast.simulator;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.BiConsumer;

/** An exercise for processes that are well, on a name of its own: somebody must be served soon, whatever others do. */
final class Drill {

    /** Far more than the turns of all others together take. */
    private static final long SOON = 10 * World.SECOND;

    private final Simulation simulation;
    private final World world;
    private final List<Node> nodes;
    private final List<Resource> resources = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private boolean finished;
    private int busy;

    Drill(Simulation simulation, List<Node> nodes) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.nodes = nodes;
    }

    /** The names it has used. */
    List<Resource> resources() {
        return resources;
    }

    List<String> complaints() {
        if (busy > 0) {
            complaints.add("Somebody is still waiting long after the drill");
        }
        return complaints;
    }

    /** A crowd that never ends must not keep out somebody who needs all there is; for stores that keep the order. */
    void crowd() {
        Resource resource = resource(Resource.Kind.any(world));
        LockOptions options = options();
        int members = 2 + world.pick(3);
        for (Node node : nodes) {
            for (int i = 0; i < members; i++) {
                in(node, 20, () -> member(node, resource, options));
            }
        }
        Node late = anyNode();
        in(late, 300, () -> mustBeServed(late, resource.large(late.holdfast(), options), "in a crowd"));
    }

    /** Somebody who needs all there is gives up waiting: whoever is behind and needs less has no reason to wait on. */
    void impatience() {
        Resource resource = resource(world.chance(0.5) ? Resource.Kind.READ_WRITE : Resource.Kind.SEMAPHORE);
        LockOptions options = options();
        Node first = anyNode();
        Node second = anyNode();
        first.process()
                .enter(() -> ask(first, resource.small(first.holdfast(), options), (lease, done) -> {
                    stayUntilFinished(first, done);
                    second.process().enter(() -> {
                        LockOptions brief = options.toBuilder()
                                .maxWait(Duration.ofMillis(world.between(20, 300)))
                                .build();
                        ask(second, resource.large(second.holdfast(), brief), (all, release) -> release.run());
                        in(
                                second,
                                20,
                                () -> mustBeServed(
                                        second,
                                        resource.small(second.holdfast(), options),
                                        "behind somebody who has given up"));
                    });
                }));
    }

    /** A reader works on after its time is over, and another shares its claim: the writer waits for both, and not longer. */
    void overstay() {
        Resource resource = resource(Resource.Kind.READ_WRITE);
        Duration lease = Duration.ofSeconds(1);
        LockOptions options = options().toBuilder().leaseTime(lease).build();
        Node first = anyNode();
        first.process().enter(() -> {
            ask(
                    first,
                    resource.small(
                            first.holdfast(), options.toBuilder().maxHold(lease).build()),
                    (mine, leave) -> after(lease, first, 300, leave));
            ask(
                    first,
                    resource.small(first.holdfast(), options),
                    (mine, leave) -> after(lease.dividedBy(2), first, 800, leave));
        });
        Node second = anyNode();
        in(second, 900, () -> mustBeServed(second, resource.large(second.holdfast(), options), "after two readers"));
    }

    /** A lease is released by force while the next user waits in the same process: that one gets a grant of its own. */
    void forcedRelease(Faults faults) {
        Node node = anyNode();
        Resource resource = resource(Resource.Kind.any(world));
        LockOptions options = options();
        node.process()
                .enter(() -> ask(node, resource.large(node.holdfast(), options), (lease, release) -> {
                    mustBeServed(node, resource.large(node.holdfast(), options), "after a forced release");
                    Belief belief = simulation.beliefs().find(lease);
                    if (belief != null) {
                        faults.forceRelease(node, belief, resource);
                    }
                    in(node, 10, release);
                }));
    }

    /**
     * A grant is renewed for the next user in the same process, who wants a longer lease. The answer comes when the grant is
     * over there and its release has been lost: then the engine has to release it once more, or it lasts for all of the longer
     * lease. It learns that from the answer, or, if that is too late for a lost release too, from the timeout of the first one.
     */
    void lateHandOver() {
        Node node = anyNode();
        Node other = anyNode();
        Resource resource = resource(Resource.Kind.LOCK);
        LockOptions lasting =
                options().toBuilder().leaseTime(Duration.ofNanos(2 * SOON)).build();
        // The one who is to be served must not lose its own requests.
        boolean byTheAnswer = other != node;
        long cut = byTheAnswer ? 250 * World.MILLI : world.between(250 * World.MILLI, 600 * World.MILLI);
        Link link = node.client().link();
        LockOptions brief =
                options().toBuilder().leaseTime(Duration.ofMillis(200)).build();
        node.process()
                .enter(() -> ask(node, resource.large(node.holdfast(), brief), (lease, release) -> {
                    if (!canHandOver(lease, node)) {
                        release.run();
                        return;
                    }
                    if (byTheAnswer) {
                        node.client().waitForAnswers(3 * SOON);
                        LockOptions impatient = lasting.toBuilder()
                                .maxWait(Duration.ofMillis(100))
                                .build();
                        ask(node, resource.large(node.holdfast(), impatient), (own, leave) -> leave.run());
                    }
                    other.process()
                            .enter(() -> mustBeServed(
                                    other,
                                    resource.large(other.holdfast(), lasting),
                                    "after a hand-over that was too late"));
                    link.slowAnswers(300 * World.MILLI, 10 * World.MILLI);
                    world.in(10 * World.MILLI, () -> link.cut(Link.Direction.REQUESTS, cut));
                    release.run();
                }));
    }

    private boolean canHandOver(Lease lease, Node node) {
        Belief belief = simulation.beliefs().find(lease);
        return belief != null && belief.receipt != null && belief.receipt.tokens > 1 && node.slice() > 50 * World.MILLI;
    }

    /** When a writer has become a reader, other readers come in. */
    void downgrade() {
        Resource resource = resource(Resource.Kind.READ_WRITE);
        Node first = anyNode();
        first.process().enter(() -> {
            LockOptions options = world.chance(0.5)
                    ? options()
                    : options().toBuilder()
                            .leaseTime(Duration.ofNanos(2 * SOON))
                            .renewal(LockOptions.Renewal.OFF)
                            .build();
            DistributedReadWriteLock lock = resource.readWrite(first.holdfast(), options);
            ReadWriteLock classic = lock.asReadWriteLock();
            if (!first.client().atOnce(() -> classic.writeLock().tryLock())) {
                complaints.add("Refused although nobody else wants it: " + resource.name());
                return;
            }
            Lease lease = lock.writeLock().requireHeld();
            simulation.beliefs().begin(lease, Role.WRITER, resource.capacity(), first, options);
            Node second = anyNode();
            in(
                    second,
                    50,
                    () -> mustBeServed(
                            second,
                            resource.small(second.holdfast(), options()),
                            "beside a writer that has become a reader"));
            in(first, 100, () -> {
                classic.readLock().lock();
                classic.writeLock().unlock();
                simulation.beliefs().downgraded(lease);
                stayUntilFinished(first, () -> {
                    simulation.beliefs().leave(lease);
                    if (!first.unlock(classic.readLock())) {
                        complaints.add("A writer that became a reader lost its lease although all was well: " + lease);
                    }
                });
            });
        });
    }

    /** Overlapping sets, taken in any order by many: everybody gets through. */
    void sets() {
        List<Resource> locks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Resource lock = Resource.ofKind(Resource.Kind.LOCK, "drill-" + i, world);
            locks.add(lock);
            resources.add(lock);
        }
        LockOptions options = options();
        for (Node node : nodes) {
            for (int i = 0; i < 2; i++) {
                in(node, 20, () -> takeSets(node, locks, options, 4));
            }
        }
        world.in(SOON, () -> {
            if (busy > 0) {
                complaints.add("Those who take several locks block each other");
            }
        });
    }

    private void takeSets(Node node, List<Resource> locks, LockOptions options, int times) {
        busy++;
        SetTurn turn = new SetTurn(simulation, node, locks, () -> {
            busy--;
            if (times > 1) {
                takeSets(node, locks, options, times - 1);
            }
        });
        var unused = turn.start(options, 0);
    }

    private void member(Node node, Resource resource, LockOptions options) {
        if (!finished) {
            ask(
                    node,
                    resource.small(node.holdfast(), options),
                    (lease, release) -> in(node, 30, () -> {
                        release.run();
                        member(node, resource, options);
                    }));
        }
    }

    private void mustBeServed(Node node, Resource.Request request, String where) {
        CompletableFuture<Lease> future = request(node, request, (lease, release) -> {
            finished = true;
            release.run();
        });
        world.in(SOON, () -> {
            if (!finished) {
                complaints.add("Not served " + where + ": " + request.role() + " '"
                        + request.of().name() + "' for " + node);
                finished = true;
                node.process().enter(() -> future.cancel(false));
            }
        });
    }

    private void ask(Node node, Resource.Request request, BiConsumer<Lease, Runnable> then) {
        var unused = request(node, request, then);
    }

    private CompletableFuture<Lease> request(Node node, Resource.Request request, BiConsumer<Lease, Runnable> then) {
        busy++;
        CompletableFuture<Lease> future = request.source().acquireAsync();
        Arrivals.Ticket ticket = simulation.arrivals().waits(node.process(), request, future);
        var unused = future.whenComplete((lease, failure) -> {
            busy--;
            if (lease != null) {
                simulation.arrivals().served(ticket);
                simulation
                        .beliefs()
                        .begin(
                                lease,
                                request.role(),
                                request.units(),
                                node,
                                request.source().options());
                then.accept(lease, () -> giveBack(lease));
            }
        });
        return future;
    }

    private void giveBack(Lease lease) {
        var unused = simulation.beliefs().release(lease);
    }

    private void stayUntilFinished(Node node, Runnable leave) {
        in(node, 100, () -> {
            if (finished) {
                leave.run();
            } else {
                stayUntilFinished(node, leave);
            }
        });
    }

    private Resource resource(Resource.Kind kind) {
        Resource resource = Resource.ofKind(kind, "drill-" + kind, world);
        resources.add(resource);
        return resource;
    }

    private LockOptions options() {
        return LockOptions.builder()
                .leaseTime(Duration.ofSeconds(1 + world.pick(5)))
                .maxWait(LockOptions.FOREVER)
                .build();
    }

    private Node anyNode() {
        return nodes.get(world.pick(nodes.size()));
    }

    private void after(Duration delay, Node node, long mostMillis, Runnable action) {
        world.in(delay.toNanos(), () -> in(node, mostMillis, action));
    }

    private void in(Node node, long mostMillis, Runnable action) {
        world.in(
                world.between(1, mostMillis * World.MILLI), () -> node.process().enter(action));
    }
}
