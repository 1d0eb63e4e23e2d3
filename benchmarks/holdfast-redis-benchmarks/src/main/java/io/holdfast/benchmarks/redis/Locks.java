package io.holdfast.benchmarks.redis;

import java.util.List;

/** What a contestant brings: locks by name, over connections of its own that end with the JVM. Thread-safe. */
interface Locks {

    /** How long the server keeps a lock without hearing from its holder. The same for all, so that all renew as often. */
    long LEASE_MILLIS = 10_000;

    /** A guard of the lock of that name, made anew. */
    Guard guard(String name);

    /** How many of these names are held by anybody, as the server sees it. */
    long held(List<String> names);

    /** A first pass, which makes connections and loads scripts. */
    default void warmUp() {
        Guard first = guard("first-of-" + ProcessHandle.current().pid());
        first.acquire();
        first.release();
    }
}
