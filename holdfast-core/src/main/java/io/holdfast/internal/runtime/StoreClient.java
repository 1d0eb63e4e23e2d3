package io.holdfast.internal.runtime;

import io.holdfast.LockOptions;
import io.holdfast.internal.memory.DirectStore;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.Units;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RefusedException;
import java.util.List;
import java.util.Optional;
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

    /**
     * Why the store does not support such leases; null if it does, or if that is not known yet. Locks are checked when they are made, and
     * those of a store that was down at the start again with each claim.
     */
    @Nullable
    String unsupported(Units units, LockOptions options) {
        Capabilities known = capabilities();
        if (!known.sharing().allows(units.capacity())) {
            String supported = known.sharing() == Capabilities.Sharing.READ_WRITE
                    ? "locks and read/write locks only"
                    : "exclusive locks only";
            return "The store supports " + supported + ", so the name cannot be " + Claim.describe(units.capacity())
                    + ". Use lock(), or a store whose capabilities say UNITS.";
        }
        if (known.expiry() == Capabilities.Expiry.SESSION
                && !options.holdAtLeast().isZero()) {
            return "The store ends a lease with the session of its process, so it cannot keep the name locked for"
                    + " holdAtLeast (" + options.holdAtLeast()
                    + ") if the process ends. Use a store with leases, such as a lease table, or no holdAtLeast.";
        }
        return null;
    }

    /** Sends a claim, unless the store turned out not to support what it requests. */
    CompletableFuture<Optional<Grant>> acquire(LockRequest request, Claim claim) {
        String unsupported =
                store instanceof ReconnectingStore ? unsupported(request.units(), request.options()) : null;
        return unsupported == null
                ? call(target -> target.acquire(claim))
                : CompletableFuture.failedFuture(RefusedException.unsupported(unsupported));
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
