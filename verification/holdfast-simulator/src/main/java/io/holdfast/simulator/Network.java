package io.holdfast.simulator;

/** Carries messages: late, twice, in another order, or not at all. */
final class Network {

    private final World world;
    private final double loss;
    private final double duplication;
    private final double slowness;
    private boolean healthy;
    private long cutUntil;

    Network(World world, boolean calm) {
        this.world = world;
        this.healthy = calm;
        this.loss = world.chance(0.5) ? world.fraction() * 0.15 : 0;
        this.duplication = world.chance(0.5) ? world.fraction() * 0.1 : 0;
        this.slowness = world.chance(0.5) ? world.fraction() * 0.1 : 0;
    }

    void cutFor(long duration) {
        world.trace("network", "is cut for " + duration / World.MILLI + " ms");
        cutUntil = Math.max(cutUntil, world.now() + duration);
    }

    boolean isCut() {
        return world.now() < cutUntil;
    }

    /** From now on every message arrives, once and soon. */
    void heal() {
        healthy = true;
        cutUntil = 0;
    }

    /** Lets {@code receiver} act on the message when, and as often as, it arrives. */
    void carry(SimProcess receiver, Runnable message) {
        if (!healthy && (isCut() || world.chance(loss))) {
            return;
        }
        int copies = !healthy && world.chance(duplication) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            world.in(delay(), () -> receiver.enter(message));
        }
    }

    private long delay() {
        if (!healthy && world.chance(slowness)) {
            return world.between(World.MILLI, 3 * World.SECOND);
        }
        return world.between(World.MILLI / 20, 3 * World.MILLI);
    }
}
