package io.holdfast.internal.runtime;

import io.holdfast.internal.memory.DirectStore;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls the store. A store that throws, or returns no future, counts as one whose future fails. */
final class StoreClient {

    private final LockStore store;
    private final Capabilities capabilities;
    private final @Nullable DirectStore direct;
    private final StoreHealth health;

    StoreClient(LockStore store, StoreHealth health) {
        this.store = store;
        this.capabilities = store.capabilities();
        this.direct = store instanceof DirectStore inProcess ? inProcess : null;
        this.health = health;
    }

    /** What the store supports; changes once if the store was down at start. */
    Capabilities capabilities() {
        return store instanceof ReconnectingStore reconnecting ? reconnecting.capabilities() : capabilities;
    }

    /** False as long as a store that was down at the start has not been connected. */
    boolean isConnected() {
        return !(store instanceof ReconnectingStore reconnecting) || reconnecting.isConnected();
    }

    String name() {
        return capabilities().name();
    }

    /** The store, if it is in this process and grants at once. */
    @Nullable
    DirectStore direct() {
        return direct;
    }

    StoreHealth health() {
        return health;
    }

    <T> CompletableFuture<T> call(Function<LockStore, @Nullable CompletableFuture<T>> request) {
        try {
            CompletableFuture<T> answer = request.apply(store);
            return answer != null
                    ? answer
                    : CompletableFuture.failedFuture(new IllegalStateException(name() + " returned no future."));
        } catch (Throwable thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return call(target -> target.inspect(filter));
    }
}
