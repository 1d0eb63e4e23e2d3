package io.holdfast.benchmarks;

import java.util.concurrent.locks.Lock;

/** One lock for everything, without a map: what is left when the name is known beforehand. */
record OneLockGates(Lock lock) implements Gates {

    @Override
    public Gate gate(String name) {
        return body -> {
            lock.lock();
            try {
                return body.applyAsLong(0);
            } finally {
                lock.unlock();
            }
        };
    }
}
