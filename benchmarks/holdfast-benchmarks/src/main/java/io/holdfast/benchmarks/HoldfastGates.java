package io.holdfast.benchmarks;

import io.holdfast.Acquirable;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.function.BiFunction;

/** Leases in the JVM, with the default options. */
final class HoldfastGates implements Gates {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final BiFunction<Holdfast, String, Acquirable<Lease>> changing;
    private final BiFunction<Holdfast, String, Acquirable<Lease>> looking;

    private HoldfastGates(
            BiFunction<Holdfast, String, Acquirable<Lease>> changing,
            BiFunction<Holdfast, String, Acquirable<Lease>> looking) {
        this.changing = changing;
        this.looking = looking;
    }

    static HoldfastGates exclusive() {
        return new HoldfastGates(Holdfast::lock, Holdfast::lock);
    }

    static HoldfastGates readWrite() {
        return new HoldfastGates(
                (holdfast, name) -> holdfast.readWriteLock(name).writeLock(),
                (holdfast, name) -> holdfast.readWriteLock(name).readLock());
    }

    static HoldfastGates semaphore(int permits) {
        BiFunction<Holdfast, String, Acquirable<Lease>> permit = (holdfast, name) -> holdfast.semaphore(name, permits);
        return new HoldfastGates(permit, permit);
    }

    @Override
    public Gate gate(String name) {
        return gate(changing.apply(holdfast, name));
    }

    @Override
    public Gate lookingGate(String name) {
        return gate(looking.apply(holdfast, name));
    }

    private static Gate gate(Acquirable<Lease> source) {
        return body -> {
            try (Lease lease = source.acquire()) {
                return body.applyAsLong(lease.token());
            }
        };
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
