package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.internal.TokenClock;
import io.holdfast.tck.Span;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Who believes to hold what, exactly: a belief ends when it is given up, or when its owner's clock says so. The work under
 * it may go on, until its owner has noticed.
 */
final class Beliefs {

    private final World world;
    private final List<Belief> open = new ArrayList<>();
    private final List<Work> works = new ArrayList<>();
    private final List<Possession> past = new ArrayList<>();

    private static final class Belief {
        private final Lease lease;
        private final SimProcess process;
        private final Role role;
        private final int units;
        private final long from;
        private long validUntil;

        private Belief(Lease lease, Role role, int units, SimProcess process, long now) {
            this.lease = lease;
            this.role = role;
            this.units = units;
            this.process = process;
            this.from = now;
            this.validUntil = now;
        }
    }

    /** Somebody at work under a lease, who may have lost it. */
    private record Work(Lease lease, SimProcess process) {}

    Beliefs(World world) {
        this.world = world;
    }

    void begin(Lease lease, Role role, int units, SimProcess process) {
        world.trace(
                process.toString(),
                () -> "has the " + role + " lease '" + lease.name() + "' with token " + lease.token());
        open(new Belief(lease, role, units, process, world.now()));
        works.add(new Work(lease, process));
        lease.onLost(() -> end(lease, "loses"));
    }

    /** The writer has become a reader. */
    void downgraded(Lease lease) {
        for (int i = 0; i < open.size(); i++) {
            Belief writer = open.get(i);
            if (writer.lease.equals(lease)) {
                close(open.remove(i), "downgrades");
                open(new Belief(lease, Role.DOWNGRADED, 1, writer.process, world.now()));
                return;
            }
        }
    }

    /** Its owner has stopped working, and is about to give it back. */
    void leave(Lease lease) {
        works.removeIf(work -> work.lease.equals(lease));
        end(lease, "releases");
    }

    void endAllOf(SimProcess process) {
        works.removeIf(work -> work.process == process);
        for (int i = open.size() - 1; i >= 0; i--) {
            if (open.get(i).process == process) {
                close(open.remove(i), "died");
            }
        }
    }

    /** After each step of a process its view is taken down; between two steps it can only end as foreseen. */
    void look(SimProcess process) {
        for (Belief belief : open) {
            if (belief.process == process) {
                foresee(belief);
            }
        }
    }

    /** Is anybody at work under one of these tokens? */
    boolean isAnybodyAtWork(String name, TokenClock.Block block) {
        for (Work work : works) {
            long place = work.lease.token() - block.first();
            if (place >= 0 && place < block.size() && work.lease.name().equals(name)) {
                return true;
            }
        }
        return false;
    }

    List<Possession> past() {
        return past;
    }

    private void open(Belief belief) {
        foresee(belief);
        open.add(belief);
    }

    private void foresee(Belief belief) {
        long left = belief.lease.remaining().toNanos();
        if (left > 0) {
            belief.validUntil = world.now() + belief.process.toWorld(left);
        }
    }

    private void end(Lease lease, String why) {
        Iterator<Belief> each = open.iterator();
        while (each.hasNext()) {
            Belief belief = each.next();
            if (belief.lease.equals(lease)) {
                each.remove();
                close(belief, why);
                return;
            }
        }
    }

    private void close(Belief belief, String why) {
        long to = Math.min(world.now(), belief.validUntil);
        String name = belief.lease.name();
        long token = belief.lease.token();
        world.trace(
                belief.process.toString(),
                () -> why + " '" + name + "' token " + token + ", believed until " + to / 1e9);
        Span span = new Span(name, token, belief.process.toString(), belief.from, to);
        past.add(new Possession(span, belief.role, belief.units));
    }
}
