package io.holdfast.simulator;

import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import org.jspecify.annotations.Nullable;

/** A user that wants to lead: stands, does so when it is elected, and resigns now and then. */
final class Candidate implements LeaderElection.Listener {

    private final Elections elections;
    private final World world;
    private final Node node;
    private final LockOptions options;
    private final LeaderElection election;
    private @Nullable Lease term;
    private long sleptBefore;
    private boolean retired;

    Candidate(Elections elections, World world, Node node, LockOptions options) {
        this.elections = elections;
        this.world = world;
        this.node = node;
        this.options = options;
        this.election = node.holdfast().election(elections.seat().name(), options);
    }

    Node node() {
        return node;
    }

    /**
     * The token of the term that it must not have any more when another is elected; null if there is none. That is the one
     * that it was told of; but timers sleep with their machine, so that after a sleep it may be told of the end late.
     */
    @Nullable
    Long tokenInUse() {
        Lease present = term;
        if (present == null || !node.process().isRunning()) {
            return null;
        }
        return node.process().slept() == sleptBefore || isLeader() ? (Long) present.token() : null;
    }

    boolean isLeader() {
        return election.isLeader();
    }

    /** Has it been told everything that there is to tell? */
    boolean isDone() {
        return node.process().isDead() || (!stands() && term == null);
    }

    /** Does it take part? */
    boolean stands() {
        return !retired && !node.isClosed() && !node.process().isDead();
    }

    void stand() {
        election.start(this);
        live();
    }

    void retire() {
        retired = true;
        election.close();
    }

    @Override
    public void onElected(Lease its) {
        if (term != null) {
            elections.complain(this, "is elected twice and never deposed");
        }
        elections.checkAlone(this, its.token());
        term = its;
        sleptBefore = node.process().slept();
        elections.beliefs().begin(its, Role.LEADER, 1, node, options);
    }

    @Override
    public void onRevoked(Lease its) {
        Lease present = term;
        if (present == null || present.token() != its.token()) {
            elections.complain(this, "is deposed from a term that it was not elected for");
            return;
        }
        if (its.state() == LeaseState.RELEASED) {
            elections.complain(this, "is told only after its seat was given to others");
        }
        term = null;
        elections.beliefs().leave(present);
    }

    private void live() {
        world.in(
                world.between(5 * World.MILLI, 200 * World.MILLI),
                () -> node.process().enter(this::act));
    }

    private void act() {
        if (!stands()) {
            return;
        }
        Lease present = term;
        if (present != null && isLeader()) {
            elections.checkAlone(this, present.token());
            if (world.chance(0.03)) {
                world.trace(node.toString(), "resigns");
                var unused = election.resign();
            }
        }
        if (!elections.areOver() && world.chance(0.01)) {
            world.trace(node.toString(), "stands down");
            retire();
            elections.enter(node);
        } else {
            live();
        }
    }
}
