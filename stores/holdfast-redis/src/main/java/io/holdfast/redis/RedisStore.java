package io.holdfast.redis;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.redis.internal.claim.AcquireRequests;
import io.holdfast.redis.internal.claim.LockInspection;
import io.holdfast.redis.internal.claim.QueueFollowUp;
import io.holdfast.redis.internal.claim.QueuedClaims;
import io.holdfast.redis.internal.claim.RenewalBatches;
import io.holdfast.redis.internal.connection.GrantMessage;
import io.holdfast.redis.internal.connection.PubSubHealthCheck;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.connection.SetupWarnings;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.redis.internal.script.AcquireReply;
import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.redis.internal.script.QueueReply;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.redis.internal.script.ScriptConstants;
import io.holdfast.redis.internal.script.ScriptRunner;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.RateLimitedLog;
import io.holdfast.spi.support.RecentClaims;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Distributed locks on Redis: one server, a master under Sentinel, or a Cluster. An uncontended lock is acquired in one round trip
 * and released in one; the release of a contended lock hands it over to the next waiter.
 *
 * <pre>{@code
 * Holdfast.connect("redis://localhost:6379");                                   // or redis-sentinel://, redis-cluster://
 * Holdfast.builder(RedisStore.on(lettuceClient).keyPrefix("orders")).build();
 * }</pre>
 *
 * <p>Thread-safe. Closing it closes the connections that it has opened, and the client only if the store has created it.
 */
public final class RedisStore implements LockStore {

    /*
     * Stale requests. Redis may execute a request of a closed connection after the release of the same claim. So a claim of
     * which a request is pending or was not answered is in `uncertain`, and its release leaves a tombstone in the server by which
     * the stale request is refused. Claims whose every request was answered need none: no request of theirs can arrive any more.
     *
     * Calls go in one direction: from here to QueuedClaims, RenewalBatches and LockInspection, and from those to the scripts and
     * the connections.
     */
    private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());

    private final Environment environment;
    private final RedisConnections connections;
    private final ScriptRunner runner;
    private final LockKeys keys;
    private final AcquireRequests requests;
    private final QueuedClaims queuedClaims;
    private final RenewalBatches renewals;
    private final QueueFollowUp followUp;
    private final Capabilities capabilities;
    private final String retention;
    private final RecentClaims uncertain;
    private final AtomicBoolean healthCheckScheduled = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisStore(String name, Environment environment, StoreSettings settings, ConnectionsFactory factory) {
        this.environment = environment;
        this.uncertain = new RecentClaims(environment.ticker());
        this.keys = new LockKeys(settings.keyPrefix());
        this.capabilities = new Capabilities(name, Capabilities.Queue.FIFO, Capabilities.Sharing.UNITS);
        long retentionMicros =
                TimeUnit.NANOSECONDS.toMicros(settings.retention().toNanos());
        this.retention = String.valueOf(retentionMicros);
        RateLimitedLog log = RateLimitedLog.ofStore(LOG, name, environment.ticker());
        this.queuedClaims = new QueuedClaims(environment, keys, log, uncertain, this::releaseUnclaimed);
        this.connections = factory.open(queuedClaims);
        this.runner = new ScriptRunner(connections, environment, settings);
        this.followUp = new QueueFollowUp(runner, keys, retention, log, closed::get);
        this.requests = new AcquireRequests(
                connections, runner, keys, followUp, environment.ticker(), retentionMicros, log, closed::get);
        this.renewals = new RenewalBatches(connections, runner, keys, retention, followUp, log);
    }

    /** Opens the connections to the server. */
    @FunctionalInterface
    interface ConnectionsFactory {
        RedisConnections open(RedisConnections.Listener listener);
    }

    /**
     * On a client of the application, which the application closes; on the server of the client's URI. The timeout of that URI
     * is also how long Lettuce waits for the handshake of a new connection, by default a minute: set it to a few seconds.
     */
    public static RedisStoreBuilder on(RedisClient client) {
        return RedisStoreBuilder.on(client);
    }

    /** On a cluster client of the application, which the application closes. */
    public static RedisStoreBuilder on(RedisClusterClient client) {
        return RedisStoreBuilder.on(client);
    }

    /** On the server or servers of a URL, with dedicated connections. */
    public static RedisStoreBuilder at(String url) {
        return RedisStoreBuilder.at(url);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        if (claim.mode() == Claim.Mode.WAIT) {
            CompletableFuture<Optional<Grant>> result = queuedClaims.acquire(claim, requests);
            scheduleHealthCheck();
            return result;
        }
        // An earlier request of this claim that was not answered may still arrive, by a connection that was replaced.
        boolean wasUncertain = uncertain.has(claim.id());
        uncertain.add(claim.id());
        return requests.send(claim, "").thenApply(answer -> {
            if (!wasUncertain) {
                uncertain.remove(claim.id());
            }
            if (answer.reply() instanceof AcquireReply.Granted granted) {
                return Optional.of(answer.grant(granted));
            }
            if (answer.reply() instanceof AcquireReply.DoesNotFit) {
                return Optional.empty();
            }
            throw answer.refusal();
        });
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewalRequests) {
        return renewals.renew(renewalRequests);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return renewals.shorten(claim, lease);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        queuedClaims.cancel(claim.id());
        String reason =
                uncertain.has(claim.id()) ? ScriptConstants.RELEASE_UNCERTAIN : ScriptConstants.RELEASE_ANSWERED;
        return change(Script.RELEASE, keys.key(claim.name()), claim.id().toString(), reason, retention)
                .thenApply(held -> {
                    uncertain.remove(claim.id());
                    return held;
                });
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return new LockInspection(connections, runner, keys, environment.ticker()).find(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return change(Script.REVOKE, keys.key(name), String.valueOf(token), retention);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            queuedClaims.close(new IllegalStateException("The store was closed."));
            connections.close();
        }
    }

    /** Logs settings of the server that are not suitable for locks. */
    void checkServer() {
        var unused = connections.commands().info("memory").whenComplete((memory, failure) -> {
            if (failure != null) {
                LOG.log(
                        System.Logger.Level.INFO,
                        capabilities.name() + ": the eviction policy is not known (" + failure.getMessage() + ")");
            } else {
                SetupWarnings.checkMemory(capabilities.name(), memory);
            }
        });
    }

    /** Runs a script that may hand the name over. */
    private CompletableFuture<Boolean> change(Script script, String key, String... args) {
        return runner.run(script, new String[] {key}, args).thenApply(parts -> {
            QueueReply reply = QueueReply.of(parts);
            followUp.handle(key, reply);
            return reply.done();
        });
    }

    /** A claim that does not wait in this process was granted by a message: the grant would block the name until it expires. */
    private void releaseUnclaimed(GrantMessage message) {
        LOG.log(System.Logger.Level.DEBUG, "Releasing {0}, which no claim of this process waits for", message.key());
        var unused = change(
                Script.RELEASE, message.key(), message.id().toString(), ScriptConstants.RELEASE_UNCONFIRMED, retention);
    }

    /** While claims wait, the pub/sub connections are checked. */
    private void scheduleHealthCheck() {
        if (!healthCheckScheduled.get() && healthCheckScheduled.compareAndSet(false, true)) {
            environment.scheduler().schedule(this::checkHealth, PubSubHealthCheck.INTERVAL);
        }
    }

    private void checkHealth() {
        healthCheckScheduled.set(false);
        if (!queuedClaims.isEmpty() && !closed.get()) {
            try {
                connections.checkPubSub();
            } finally {
                scheduleHealthCheck();
            }
        }
    }
}
