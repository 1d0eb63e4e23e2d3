package io.holdfast.redis.internal.script;

import io.holdfast.redis.internal.connection.Redirection;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Runs one script on a dedicated connection, and confirms with {@code WAIT} that enough replicas have its writes. */
final class ReplicatedCall {

    /*
     * WAIT covers the writes of its own connection, so it follows the script on the same connection, each time the script is
     * sent: to the server that has the key, to the server that a redirection names, and again with the text of the script if
     * the server does not know its digest. None of those answers (MOVED, ASK, NOSCRIPT) means that the script was executed, so
     * sending it again cannot execute it twice.
     *
     * ASKING applies to the next command of its connection. A command of another thread can get between them. Then the script
     * is redirected back with MOVED, and from there with ASK once more, which is why more than one redirection is followed.
     */
    private static final int MOST_REDIRECTIONS = 8;

    private final RedisConnections connections;
    private final Script script;
    private final String[] keys;
    private final String[] args;
    private final int replicas;
    private final Duration within;
    private final BooleanSupplier abandoned;

    /** @param abandoned true once the call has timed out, so that nothing more is sent */
    ReplicatedCall(
            RedisConnections connections,
            Script script,
            String[] keys,
            String[] args,
            int replicas,
            Duration within,
            BooleanSupplier abandoned) {
        this.connections = connections;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.replicas = replicas;
        this.within = within;
        this.abandoned = abandoned;
    }

    /**
     * The server that the script is sent to.
     *
     * @param connection to the server that should have the keys
     * @param asking whether the script has to be preceded by {@code ASKING} there
     * @param redirections how many more redirections are followed
     */
    private record Route(RedisAsyncCommands<String, String> connection, boolean asking, int redirections) {

        /** The connection to write the script to now. */
        RedisAsyncCommands<String, String> prepared() {
            if (asking) {
                var unused = connection.asking();
            }
            return connection;
        }
    }

    /** Completes with the reply of the script once enough replicas have its writes; fails if they do not in time. */
    CompletableFuture<List<Object>> send() {
        return connections
                .dedicated(keys[0])
                .thenCompose(connection -> byDigest(new Route(connection, false, MOST_REDIRECTIONS)));
    }

    private CompletableFuture<List<Object>> byDigest(Route route) {
        RedisFuture<List<Object>> reply = route.prepared().evalsha(script.digest(), ScriptOutputType.MULTI, keys, args);
        return confirmed(route, reply)
                .exceptionallyCompose(failure ->
                        Failures.unwrap(failure) instanceof RedisNoScriptException && !abandoned.getAsBoolean()
                                ? byText(route)
                                : redirected(route, failure));
    }

    private CompletableFuture<List<Object>> byText(Route route) {
        RedisFuture<List<Object>> reply = route.prepared().eval(script.body(), ScriptOutputType.MULTI, keys, args);
        return confirmed(route, reply).exceptionallyCompose(failure -> redirected(route, failure));
    }

    private CompletableFuture<List<Object>> redirected(Route from, Throwable failure) {
        Redirection to = Redirection.parse(Failures.unwrap(failure)).orElse(null);
        if (to == null || from.redirections() == 0 || abandoned.getAsBoolean()) {
            return CompletableFuture.failedFuture(failure);
        }
        if (!to.asking()) {
            connections.onNotMaster();
        }
        return connections
                .dedicated(to)
                .thenCompose(connection -> byDigest(new Route(connection, to.asking(), from.redirections() - 1)));
    }

    private CompletableFuture<List<Object>> confirmed(Route route, RedisFuture<List<Object>> reply) {
        RedisFuture<Long> copies = route.connection().waitForReplication(replicas, within.toMillis());
        // The failure of the script is the one to act on, and need not wait for WAIT.
        return reply.toCompletableFuture().thenCompose(parts -> copies.thenApply(count -> checked(parts, count)));
    }

    private List<Object> checked(List<Object> parts, long count) {
        if (count < replicas) {
            throw new IllegalStateException(
                    "Only " + count + " of " + replicas + " replicas confirmed the write within "
                            + DurationText.of(within)
                            + " (WAIT), so it does not count. Check the replicas and their lag, or set"
                            + " replicas(n, within) to what they can do.");
        }
        return parts;
    }
}
