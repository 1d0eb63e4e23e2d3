package io.holdfast.benchmarks;

import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/** A map of locks, as one would write it by hand: no lease, no token, no deadline. */
final class LockMapGates implements Gates {

    private final CountedMap<Lock> locks;

    LockMapGates(Supplier<Lock> maker) {
        this.locks = new CountedMap<>(maker);
    }

    @Override
    public Gate gate(String name) {
        return body -> {
            Lock lock = locks.enter(name);
            try {
                lock.lock();
                try {
                    return body.applyAsLong(0);
                } finally {
                    lock.unlock();
                }
            } finally {
                locks.leave(name);
            }
        };
    }
}
