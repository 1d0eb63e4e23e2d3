package io.holdfast.benchmarks.kit;

/** What a contestant brings: locks by name, over connections of its own that end with the JVM. Thread-safe. */
@FunctionalInterface
public interface Locks {

    /** How long the server keeps a lock without hearing from its holder. The same for all, so that all renew as often. */
    long LEASE_MILLIS = 10_000;

    /** A guard of the lock of that name, made anew for a thread. */
    Guard guard(String name);

    /** A first pass, which makes connections and loads scripts. */
    default void warmUp() {
        Guard first = guard("first-of-" + ProcessHandle.current().pid());
        first.acquire();
        first.release();
    }
}
