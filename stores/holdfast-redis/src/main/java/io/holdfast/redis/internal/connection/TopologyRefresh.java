package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Ticker;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Refreshes the topology of a cluster client, one refresh at a time. Each refresh opens a connection to every server. */
public final class TopologyRefresh {

    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);
    /** A pending refresh that is older does not prevent another one: a client of the application may have a timeout of a minute. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);

    private final RedisClusterClient client;
    private final Ticker ticker;
    private final AtomicReference<@Nullable Attempt> last = new AtomicReference<>();

    private record Attempt(long begun, CompletableFuture<Void> done) {}

    public TopologyRefresh(RedisClusterClient client, Ticker ticker) {
        this.client = client;
        this.ticker = ticker;
    }

    /** After a timeout, of which an overloaded cluster causes many: not if the last refresh is less than a second ago. */
    public void runUnlessRecent() {
        Attempt before = last.get();
        if (before == null || ticker.nanos() - before.begun >= INTERVAL) {
            var unused = run();
        }
    }

    /** After a redirection. Completes when the pending refresh has completed, or a new one. */
    public CompletableFuture<Void> run() {
        Attempt before = last.get();
        long now = ticker.nanos();
        if (before != null && !before.done.isDone() && now - before.begun < LONGEST) {
            return before.done;
        }
        Attempt fresh = new Attempt(now, new CompletableFuture<>());
        Attempt present = last.compareAndExchange(before, fresh);
        if (present != null && !present.equals(before)) {
            return present.done;
        }
        var unused = AsyncCalls.attempt(() -> client.refreshPartitionsAsync().toCompletableFuture())
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
