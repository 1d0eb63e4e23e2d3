package io.holdfast.redis.internal.script;

import io.holdfast.redis.internal.connection.AsyncCalls;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.spi.Environment;
import io.holdfast.spi.support.Failures;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Runs Lua scripts by digest, with a timeout, and optionally waits until replicas have the writes. */
public final class ScriptRunner {

    /*
     * Timeouts are checked by one periodic sweep over all pending calls instead of a timer for each: calls are many, and few of them
     * time out.
     */
    private static final int SWEEPS_PER_TIMEOUT = 8;

    private final RedisConnections connections;
    private final Environment environment;
    private final Duration timeout;
    private final int replicas;
    private final Duration replicaTimeout;
    private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean sweeping = new AtomicBoolean();

    public ScriptRunner(RedisConnections connections, Environment environment, StoreSettings settings) {
        this.connections = connections;
        this.environment = environment;
        this.timeout = settings.timeout();
        this.replicas = settings.replicas();
        this.replicaTimeout = settings.replicaTimeout();
    }

    private static final class Pending extends CompletableFuture<List<Object>> {
        private final Duration limit;
        private final long deadline;

        Pending(Duration limit, long deadline) {
            this.limit = limit;
            this.deadline = deadline;
        }
    }

    /** Fails the answer to a plain command if it is not completed within the timeout. */
    public <T extends @Nullable Object> CompletableFuture<T> withTimeout(CompletableFuture<T> answer) {
        return AsyncCalls.withTimeout(environment, timeout, answer).whenComplete((done, failure) -> {
            if (failure != null && Failures.unwrap(failure) instanceof RedisCommandTimeoutException) {
                connections.onRequestTimeout();
            }
        });
    }

    /** Whether grants count only after replicas have confirmed them. */
    public boolean waitsForReplicas() {
        return replicas > 0;
    }

    /** Runs the script on the shared connection. */
    public CompletableFuture<List<Object>> run(Script script, String[] keys, String... args) {
        script.checkArguments(keys.length, args.length);
        Pending call = begin(timeout);
        try {
            send(connections.commands(), script, keys, args, call);
        } catch (RuntimeException refused) {
            end(call, null, refused);
        }
        return call;
    }

    /** Runs the script; completes when enough replicas have its writes, and fails if they have not in time. */
    public CompletableFuture<List<Object>> runOnReplicas(Script script, String[] keys, String... args) {
        if (replicas == 0) {
            return run(script, keys, args);
        }
        script.checkArguments(keys.length, args.length);
        Pending call = begin(timeout.plus(replicaTimeout));
        ReplicatedCall replicated =
                new ReplicatedCall(connections, script, keys, args, replicas, replicaTimeout, call::isDone);
        var unused = AsyncCalls.attempt(replicated::send).whenComplete((answer, failure) -> end(call, answer, failure));
        return call;
    }

    private Pending begin(Duration limit) {
        Pending call = new Pending(limit, environment.ticker().nanos() + limit.toNanos());
        pending.add(call);
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            sweepLater();
        }
        return call;
    }

    private void send(
            RedisClusterAsyncCommands<String, String> commands,
            Script script,
            String[] keys,
            String[] args,
            Pending call) {
        RedisFuture<List<Object>> sent = commands.evalsha(script.digest(), ScriptOutputType.MULTI, keys, args);
        var unused = sent.whenComplete((answer, failure) -> {
            if (failure instanceof RedisNoScriptException && !call.isDone()) {
                // Not executed: the server was restarted, or its scripts were flushed.
                RedisFuture<List<Object>> again = commands.eval(script.body(), ScriptOutputType.MULTI, keys, args);
                var unusedRepeat =
                        again.whenComplete((secondAnswer, secondFailure) -> end(call, secondAnswer, secondFailure));
            } else {
                end(call, answer, failure);
            }
        });
    }

    private void end(Pending call, @Nullable List<Object> answer, @Nullable Throwable failure) {
        pending.remove(call);
        if (failure != null) {
            Throwable cause = Failures.unwrap(failure);
            call.completeExceptionally(withMessage(cause));
            if (isNotMaster(String.valueOf(cause.getMessage()))) {
                connections.onNotMaster();
            }
        } else {
            call.complete(answer);
        }
    }

    /** The exception of Netty has no message. */
    private static Throwable withMessage(Throwable cause) {
        return cause instanceof ClosedChannelException
                ? new RedisException("The connection to Redis was closed before the request was answered", cause)
                : cause;
    }

    /** The server is no longer the master, or not of this slot. */
    private static boolean isNotMaster(String message) {
        return message.contains("READONLY")
                || message.startsWith("MOVED")
                || message.startsWith("ASK ")
                || message.startsWith("CLUSTERDOWN");
    }

    private void sweepLater() {
        environment.scheduler().schedule(this::sweep, timeout.toNanos() / SWEEPS_PER_TIMEOUT);
    }

    private void sweep() {
        try {
            failTimedOut();
        } finally {
            // Also after an exception: without another sweep, no call would time out any more.
            if (!pending.isEmpty() || !stopSweeping()) {
                sweepLater();
            }
        }
    }

    private void failTimedOut() {
        long now = environment.ticker().nanos();
        boolean timedOut = false;
        for (Pending call : pending) {
            if (call.deadline - now <= 0) {
                timedOut = true;
                end(call, null, AsyncCalls.timedOut(call.limit));
            }
        }
        if (timedOut) {
            connections.onRequestTimeout();
        }
    }

    /** False if another thread has begun a call meanwhile and relies on this sweep. */
    private boolean stopSweeping() {
        sweeping.set(false);
        return pending.isEmpty() || !sweeping.compareAndSet(false, true);
    }
}
