package io.holdfast.simulator;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Who stands for the one seat of a history, and what must be true of those who have it. */
final class Elections {

    private final Simulation simulation;
    private final World world;
    private final Resource seat;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    Elections(Simulation simulation) {
        this.simulation = simulation;
        this.world = simulation.world();
        this.seat = Resource.ofKind(Resource.Kind.LOCK, "SEAT", world);
    }

    Resource seat() {
        return seat;
    }

    Beliefs beliefs() {
        return simulation.beliefs();
    }

    List<String> complaints() {
        return complaints;
    }

    void complain(Candidate who, String what) {
        complaints.add("The candidate in " + who.node() + " " + what);
    }

    /** Nobody else enters. */
    boolean areOver() {
        return simulation.isOver();
    }

    /** Somebody in the process stands from now on. */
    void enter(Node node) {
        Candidate candidate = new Candidate(this, world, node, options());
        candidates.add(candidate);
        node.process().enter(candidate::stand);
    }

    /** One leads at this moment: nobody else who is awake may think that it does, unless the store forgot the first. */
    void checkAlone(Candidate leader, long token) {
        for (Candidate other : candidates) {
            Long others = other == leader ? null : other.tokenInUse();
            if (others != null && !beliefs().history().isDropped(seat.name(), Math.min(token, others), world.now())) {
                complaints.add("Two leaders at once: in " + leader.node() + " with token " + token + ", and in "
                        + other.node() + " with token " + others);
            }
        }
    }

    /** Has everybody gone home? */
    boolean isEverybodyDone() {
        return candidates.stream().allMatch(Candidate::isDone);
    }

    /** Everybody goes home as soon as one of them leads, and one of them must: all faults are healed. */
    void endWithALeader() {
        if (candidates.stream().anyMatch(each -> each.stands() && each.isLeader())) {
            candidates.stream()
                    .filter(Candidate::stands)
                    .forEach(each -> each.node().process().enter(each::retire));
        } else if (candidates.stream().anyMatch(Candidate::stands)) {
            world.in(100 * World.MILLI, this::endWithALeader);
        }
    }

    private LockOptions options() {
        Duration lease = seat.lease(world);
        LockOptions options = LockOptions.builder().leaseTime(lease).build();
        if (simulation.isCalm() || world.chance(0.8)) {
            return options;
        }
        return world.chance(0.5)
                ? options.toBuilder().renewal(LockOptions.Renewal.OFF).build()
                : options.toBuilder()
                        .maxHold(lease.multipliedBy(1 + world.pick(3)))
                        .build();
    }
}
