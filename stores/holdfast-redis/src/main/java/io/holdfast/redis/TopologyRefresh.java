package io.holdfast.redis;

import io.holdfast.spi.Ticker;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes the topology of a cluster client when a request was redirected or timed out: one refresh at a time, and at most one a
 * second. Each opens a connection to every server.
 */
final class TopologyRefresh {

    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);
    /** A refresh that takes longer is not waited for: a client of the application may have a timeout of a minute. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);

    private final RedisClusterClient client;
    private final Ticker ticker;
    private final AtomicReference<@Nullable Attempt> last = new AtomicReference<>();

    private record Attempt(long begun, CompletableFuture<Void> done) {}

    TopologyRefresh(RedisClusterClient client, Ticker ticker) {
        this.client = client;
        this.ticker = ticker;
    }

    /** Completes when the topology was refreshed, by this call or by one of less than a second ago. */
    CompletableFuture<Void> run() {
        Attempt before = last.get();
        long now = ticker.nanos();
        if (before != null && now - before.begun < (before.done.isDone() ? INTERVAL : LONGEST)) {
            return before.done;
        }
        Attempt fresh = new Attempt(now, new CompletableFuture<>());
        Attempt present = last.compareAndExchange(before, fresh);
        if (present != null && !present.equals(before)) {
            return present.done;
        }
        var unused = Calls.attempt(() -> client.refreshPartitionsAsync().toCompletableFuture())
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        fresh.done.completeExceptionally(failure);
                    } else {
                        fresh.done.complete(null);
                    }
                });
        return fresh.done;
    }
}
