package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.tck.Span;
import java.util.ArrayList;
import java.util.List;

/** Who believes to hold what, exactly: a belief ends when it is given up, or when its owner's clock says so. */
final class Beliefs {

    private final World world;
    private final List<Belief> open = new ArrayList<>();
    private final List<Span> spans = new ArrayList<>();

    private static final class Belief {
        private final Lease lease;
        private final SimProcess process;
        private final long from;
        private long validUntil;

        private Belief(Lease lease, SimProcess process, long now) {
            this.lease = lease;
            this.process = process;
            this.from = now;
        }
    }

    Beliefs(World world) {
        this.world = world;
    }

    void begin(Lease lease, SimProcess process) {
        world.trace(process.toString(), "holds '" + lease.name() + "' with token " + lease.token());
        Belief belief = new Belief(lease, process, world.now());
        belief.validUntil = world.now() + process.toWorld(lease.remaining().toNanos());
        open.add(belief);
    }

    void end(Lease lease, String why) {
        for (int i = 0; i < open.size(); i++) {
            if (open.get(i).lease.equals(lease)) {
                close(open.remove(i), why);
                return;
            }
        }
    }

    void endAllOf(SimProcess process) {
        for (int i = open.size() - 1; i >= 0; i--) {
            if (open.get(i).process == process) {
                close(open.remove(i), "died");
            }
        }
    }

    /** After each step of a process its view is taken down; between two steps it can only end as foreseen. */
    void look(SimProcess process) {
        for (Belief belief : open) {
            if (belief.process == process && belief.lease.state() != LeaseState.LOST) {
                belief.validUntil =
                        world.now() + process.toWorld(belief.lease.remaining().toNanos());
            }
        }
    }

    List<Span> spans() {
        return spans;
    }

    private void close(Belief belief, String why) {
        long to = Math.min(world.now(), belief.validUntil);
        world.trace(
                belief.process.toString(),
                why + " '" + belief.lease.name() + "' token " + belief.lease.token() + ", believed until " + to / 1e9);
        spans.add(new Span(belief.lease.name(), belief.lease.token(), belief.process.toString(), belief.from, to));
    }
}
