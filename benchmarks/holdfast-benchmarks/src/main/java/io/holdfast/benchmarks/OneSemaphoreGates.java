package io.holdfast.benchmarks;

import java.util.concurrent.Semaphore;

/** One semaphore for everything, without a map. */
record OneSemaphoreGates(Semaphore semaphore) implements Gates {

    @Override
    public Gate gate(String name) {
        return body -> {
            semaphore.acquireUninterruptibly();
            try {
                return body.applyAsLong(0);
            } finally {
                semaphore.release();
            }
        };
    }
}
