package io.holdfast.internal.memory;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.Ticker;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Opens {@code memory:} (private to the caller) and {@code memory:NAME} (shared in this JVM). */
public final class MemoryStoreProvider implements StoreProvider {

    /** The stores that have a name are, by their meaning, one per JVM; a space without client and lease is dropped. */
    private static final Map<String, Shared> SHARED = new ConcurrentHashMap<>();

    private record Shared(MemoryStore.Space space, int clients) {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public LockStore open(String url, Environment environment) {
        String name = url.substring("memory:".length());
        if (name.isEmpty()) {
            return MemoryStore.open(environment);
        }
        if (name.startsWith("//")) {
            throw new IllegalArgumentException("Write memory:NAME, without slashes: " + url);
        }
        dropIdleSpaces(environment.ticker());
        Shared shared = SHARED.merge(
                name,
                new Shared(new MemoryStore.Space(), 1),
                (present, fresh) -> new Shared(present.space, present.clients + 1));
        return new MemoryStore(url, shared.space, environment, () -> leave(name, environment.ticker()));
    }

    private static void leave(String name, Ticker ticker) {
        SHARED.computeIfPresent(name, (key, shared) -> new Shared(shared.space, shared.clients - 1));
        dropIdleSpaces(ticker);
    }

    /** A space whose last client left with a lease still running must stay: the next client has to wait for it. */
    private static void dropIdleSpaces(Ticker ticker) {
        for (String name : SHARED.keySet()) {
            SHARED.computeIfPresent(name, (key, shared) -> {
                if (shared.clients > 0) {
                    return shared;
                }
                shared.space.sweep(ticker.nanos());
                return shared.space.ledgers.isEmpty() ? null : shared;
            });
        }
    }
}
