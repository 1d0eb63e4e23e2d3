package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A user that takes several locks together, gives them back together, and has no opinion on their order. */
final class SetTurn {

    private final Simulation simulation;
    private final World world;
    private final Node node;
    private final List<Resource> wanted;
    private final Runnable then;

    SetTurn(Simulation simulation, Node node, List<Resource> locks, Runnable then) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.node = node;
        this.wanted = some(locks, world);
        this.then = then;
    }

    /** At least two of them, in any order. */
    private static List<Resource> some(List<Resource> locks, World world) {
        List<Resource> left = new ArrayList<>(locks);
        List<Resource> some = new ArrayList<>();
        int number = 2 + world.pick(locks.size() - 1);
        while (some.size() < number) {
            some.add(left.remove(world.pick(left.size())));
        }
        return some;
    }

    /** Takes them and stays for up to {@code howLong}; the future is that of the acquisition. */
    CompletableFuture<?> start(LockOptions options, long howLong) {
        LockSet set =
                node.holdfast().lockSet(wanted.stream().map(Resource::name).toList(), options);
        if (world.chance(0.15)) {
            CompletableFuture<Optional<LeaseSet>> attempt = set.tryAcquireAsync();
            var unused = attempt.whenComplete(
                    (all, failure) -> proceed(all == null ? null : all.orElse(null), options, howLong));
            return attempt;
        }
        Deadline deadline = Deadline.in(node.process(), options.maxWait(), world);
        CompletableFuture<LeaseSet> future = set.acquireAsync();
        var unused = future.whenComplete((all, failure) -> {
            simulation.check(deadline);
            proceed(all, options, howLong);
        });
        return future;
    }

    private void proceed(@Nullable LeaseSet all, LockOptions options, long howLong) {
        if (all == null) {
            then.run();
            return;
        }
        if (all.state() == LeaseState.LOST) {
            simulation.complain("A set is handed over although a part of it is lost: " + all);
        }
        List<Lease> leases = all.names().stream().map(all::lease).toList();
        leases.forEach(lease -> simulation.beliefs().begin(lease, Role.MEMBER, 1, node, options));
        Resource busy = wanted.get(world.pick(wanted.size()));
        Lease its = leases.get(all.names().indexOf(busy.name()));
        new Work(simulation, node.process(), its, () -> giveBack(all, leases))
                .write(busy.counter(), world.now() + world.between(0, howLong));
    }

    private void giveBack(LeaseSet all, List<Lease> leases) {
        List<@Nullable Belief> beliefs = new ArrayList<>();
        leases.forEach(lease -> beliefs.add(simulation.beliefs().find(lease)));
        leases.forEach(lease -> simulation.beliefs().leave(lease));
        var unused = all.releaseAsync().whenComplete((ours, failure) -> {
            if (Boolean.TRUE.equals(ours)) {
                beliefs.forEach(simulation.beliefs()::releasedAsOurs);
            }
            then.run();
        });
    }
}
