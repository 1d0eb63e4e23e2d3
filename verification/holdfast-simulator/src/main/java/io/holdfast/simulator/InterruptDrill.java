package io.holdfast.simulator;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A body under {@code OnLoss.INTERRUPT}, in a process that is well: it is interrupted if its lease is lost, and only then, and
 * no interrupt outlives it. There is one thread, so the body itself lets the world go on while it works; only one at a time
 * can do that, which is why this is a drill.
 */
final class InterruptDrill {

    private static final Duration LEASE = Duration.ofSeconds(1);

    /** One renewal interval, and the way there and back. */
    private static final long NOTICED_WITHIN = LEASE.toNanos() / 2;

    private final World world;
    private final SimServer server;
    private final Node node;
    private final Resource resource;
    private final List<String> complaints = new ArrayList<>();

    InterruptDrill(World world, SimServer server, Node node) {
        this.world = world;
        this.server = server;
        this.node = node;
        this.resource = Resource.ofKind(Resource.Kind.LOCK, "drill-INTERRUPT", world);
    }

    List<String> complaints() {
        return complaints;
    }

    void start() {
        node.process().enter(this::run);
    }

    private void run() {
        LockOptions options = LockOptions.builder()
                .leaseTime(LEASE)
                .onLoss(LockOptions.OnLoss.INTERRUPT)
                .build();
        DistributedLock lock = node.holdfast().lock(resource.name(), options);
        boolean revoked = world.chance(0.7);
        boolean lost = false;
        try {
            node.client().atOnce(() -> lock.tryRun(lease -> node.client().later(() -> work(lease, revoked))));
        } catch (LeaseLostException expected) {
            lost = true;
        } catch (HoldfastException unexpected) {
            complaints.add("A body could not be run although all was well: " + unexpected);
        }
        if (lost != revoked) {
            complaints.add("A body whose lease was " + (revoked ? "" : "not ") + "lost ends as if it was "
                    + (lost ? "" : "not "));
        }
        if (Thread.interrupted()) {
            complaints.add("An interrupt outlives the body whose lease was lost");
        }
    }

    private void work(Lease lease, boolean revoked) {
        long end = world.now() + world.between(0, 2 * World.SECOND);
        long due = Long.MAX_VALUE;
        if (revoked) {
            world.in(world.between(0, end - world.now()), () -> server.revoke(resource.name(), lease.token()));
            end += NOTICED_WITHIN;
            due = end;
        }
        while (world.now() < end && !Thread.currentThread().isInterrupted()) {
            world.runUntil(world.now() + 5 * World.MILLI);
        }
        boolean interrupted = Thread.currentThread().isInterrupted();
        if (interrupted && lease.state() != LeaseState.LOST) {
            complaints.add("A body is interrupted although its lease is not lost: " + lease);
        }
        if (!interrupted && world.now() >= due) {
            complaints.add("A body is not interrupted although its lease was lost: " + lease);
        }
    }
}
