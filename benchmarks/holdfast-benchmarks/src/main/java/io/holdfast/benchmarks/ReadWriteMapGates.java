package io.holdfast.benchmarks;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/** A map of fair read/write locks, as one would write it by hand. */
final class ReadWriteMapGates implements Gates {

    private final CountedMap<ReadWriteLock> locks = new CountedMap<>(() -> new ReentrantReadWriteLock(true));

    @Override
    public Gate gate(String name) {
        return body -> pass(name, ReadWriteLock::writeLock, body);
    }

    @Override
    public Gate lookingGate(String name) {
        return body -> pass(name, ReadWriteLock::readLock, body);
    }

    private long pass(String name, Function<ReadWriteLock, Lock> side, LongUnaryOperator body) {
        Lock lock = side.apply(locks.enter(name));
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
    }
}
