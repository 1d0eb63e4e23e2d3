package io.holdfast.simulator;

import java.util.ArrayList;
import java.util.List;

/** Carries messages: late, twice, in another order, or not at all. */
final class Network {

    private static final long SOON = 3 * World.MILLI;

    private final World world;
    private final double loss;
    private final double duplication;
    private final double slowness;
    private final List<Link> links = new ArrayList<>();
    private boolean healthy;
    private long cutUntil;

    Network(World world, boolean calm) {
        this.world = world;
        this.healthy = calm;
        this.loss = world.chance(0.5) ? world.fraction() * 0.15 : 0;
        this.duplication = world.chance(0.5) ? world.fraction() * 0.1 : 0;
        this.slowness = world.chance(0.5) ? world.fraction() * 0.1 : 0;
    }

    Link connect(SimProcess process) {
        Link link = new Link(world, process);
        links.add(link);
        return link;
    }

    /** Cuts all links, in both directions. */
    void cutFor(long duration) {
        world.trace("network", "is cut for " + duration / World.MILLI + " ms");
        cutUntil = Math.max(cutUntil, world.now() + duration);
    }

    boolean isCut(Link link, Link.Direction direction) {
        return world.now() < cutUntil || link.isCut(direction);
    }

    /** From now on every message arrives, once and soon. */
    void heal() {
        healthy = true;
        cutUntil = 0;
        links.forEach(Link::heal);
    }

    /** Lets {@code receiver} act on the message when, and as often as, it arrives. */
    void carry(Link link, Link.Direction direction, SimProcess receiver, Runnable message) {
        if (isCut(link, direction) || (!healthy && world.chance(loss))) {
            link.troubled(world.now());
            return;
        }
        int copies = !healthy && world.chance(duplication) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long delay = delay() + link.extraDelay(direction);
            if (delay > SOON) {
                link.troubled(world.now() + delay);
            }
            world.in(delay, () -> receiver.enter(message));
        }
    }

    private long delay() {
        if (!healthy && world.chance(slowness)) {
            return world.between(World.MILLI, 3 * World.SECOND);
        }
        return world.between(World.MILLI / 20, SOON);
    }
}
