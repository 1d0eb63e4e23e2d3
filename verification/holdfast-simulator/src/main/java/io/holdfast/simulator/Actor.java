package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A user in a process: takes a lease, works under it, gives it back, thinks, and does it again. */
final class Actor {

    private final Simulation simulation;
    private final World world;
    private final Node node;
    private final SimProcess process;
    private final long think;
    private boolean busy;

    Actor(Simulation simulation, Node node, long think) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.node = node;
        this.process = node.process();
        this.think = think;
    }

    /** Is it stuck in a call that should have returned? */
    boolean isStuck() {
        return !process.isDead() && busy;
    }

    void next() {
        busy = false;
        if (!simulation.isOver()) {
            world.in(world.between(0, think), () -> process.enter(this::turn));
        }
    }

    private void turn() {
        if (simulation.isOver() || node.isClosed()) {
            return;
        }
        busy = true;
        Resource resource = simulation.anyResource();
        if (resource.kind() == Resource.Kind.READ_WRITE && world.chance(0.15)) {
            new Downgrade(simulation, node, resource, this::next).start(options(resource));
        } else if (resource.kind() == Resource.Kind.LOCK && simulation.locks().size() > 1 && world.chance(0.3)) {
            CompletableFuture<?> future =
                    new SetTurn(simulation, node, simulation.locks(), this::next).start(options(resource), howLong());
            cancelAtTimes(future);
        } else {
            ask(resource.any(node.holdfast(), options(resource), world));
        }
    }

    private void ask(Resource.Request request) {
        if (world.chance(0.15)) {
            CompletableFuture<Optional<Lease>> attempt = request.source().tryAcquireAsync();
            Arrivals.Ticket ticket = simulation.arrivals().tries(process, request, attempt);
            var unused = attempt.whenComplete(
                    (lease, failure) -> proceed(request, ticket, lease == null ? null : lease.orElse(null)));
        } else {
            Deadline deadline = Deadline.in(process, request.source().options().maxWait(), world);
            CompletableFuture<Lease> future = request.source().acquireAsync();
            Arrivals.Ticket ticket = simulation.arrivals().waits(process, request, future);
            var unused = future.whenComplete((lease, failure) -> {
                simulation.check(deadline);
                proceed(request, ticket, lease);
            });
            cancelAtTimes(future);
        }
    }

    private void cancelAtTimes(CompletableFuture<?> future) {
        if (!future.isDone() && world.chance(0.1)) {
            world.in(world.between(0, World.SECOND), () -> process.enter(() -> future.cancel(false)));
        }
    }

    private LockOptions options(Resource resource) {
        Duration lease = resource.lease(world);
        LockOptions options = LockOptions.builder()
                .leaseTime(lease)
                .maxWait(wait(world.pick(5)))
                .build();
        if (!simulation.isCalm() && world.chance(0.25)) {
            options = options.toBuilder().renewal(LockOptions.Renewal.OFF).build();
        }
        if (!simulation.isCalm() && world.chance(0.15)) {
            options = options.toBuilder()
                    .maxHold(lease.multipliedBy(1 + world.pick(3)))
                    .build();
        }
        if (simulation.holdsAtLeast() && world.chance(0.3)) {
            options = options.toBuilder()
                    .holdAtLeast(lease.dividedBy((simulation.isCalm() ? 2 : 1) + world.pick(4)))
                    .build();
        }
        return options;
    }

    private static Duration wait(int choice) {
        return switch (choice) {
            case 0 -> Duration.ofMillis(50);
            case 1 -> Duration.ofMillis(500);
            case 2 -> Duration.ofSeconds(3);
            case 3 -> Duration.ofSeconds(15);
            default -> LockOptions.FOREVER;
        };
    }

    private void proceed(Resource.Request request, Arrivals.Ticket ticket, @Nullable Lease lease) {
        if (lease == null) {
            next();
            return;
        }
        simulation.arrivals().served(ticket);
        simulation
                .beliefs()
                .begin(
                        lease,
                        request.role(),
                        request.units(),
                        node,
                        request.source().options());
        Work work = new Work(simulation, process, lease, () -> giveBack(lease));
        long end = world.now() + howLong();
        switch (request.role()) {
            case OWNER, WRITER -> work.write(request.of().counter(), end);
            case READER -> work.read(request.of().counter(), end);
            default -> work.idle(end);
        }
    }

    private long howLong() {
        return world.chance(0.85) ? world.between(0, 20 * World.MILLI) : world.between(0, 8 * World.SECOND);
    }

    private void giveBack(Lease lease) {
        var unused = simulation.beliefs().release(lease).whenComplete((ours, failure) -> next());
    }
}
