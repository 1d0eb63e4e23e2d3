package io.holdfast.internal;

import io.holdfast.DistributedSemaphore;

/** Permits under a name. */
final class NamedSemaphore extends Acquirer implements DistributedSemaphore {

    NamedSemaphore(Engine engine, Wish wish) {
        super(engine, wish);
    }

    @Override
    public int permits() {
        return wish.share().capacity();
    }

    @Override
    public int taken() {
        return wish.share().units();
    }

    @Override
    public DistributedSemaphore taking(int permits) {
        if (permits < 1 || permits > permits()) {
            throw new IllegalArgumentException("A lease of the semaphore '" + name() + "' has between 1 and "
                    + permits() + " permits: " + permits);
        }
        return new NamedSemaphore(engine, new Wish(name(), new Share(permits, permits()), wish.terms(), wish.owner()));
    }
}
