package io.holdfast.benchmarks;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;

/** Exclusive locks in the JVM, with the default options. */
final class HoldfastGates implements Gates {

    private final Holdfast holdfast = Holdfast.connect("memory:");

    @Override
    public Gate gate(String name) {
        return gate(holdfast.lock(name));
    }

    private static Gate gate(DistributedLock lock) {
        return body -> {
            try (Lease lease = lock.acquire()) {
                return body.applyAsLong(lease.token());
            }
        };
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
