package io.holdfast.benchmarks;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** A map of semaphores, as one would write it by hand. */
final class SemaphoreMapGates implements Gates {

    private final CountedMap<Semaphore> semaphores;

    SemaphoreMapGates(Supplier<Semaphore> maker) {
        this.semaphores = new CountedMap<>(maker);
    }

    @Override
    public Gate gate(String name) {
        return body -> {
            Semaphore semaphore = semaphores.enter(name);
            try {
                semaphore.acquireUninterruptibly();
                try {
                    return body.applyAsLong(0);
                } finally {
                    semaphore.release();
                }
            } finally {
                semaphores.leave(name);
            }
        };
    }
}
