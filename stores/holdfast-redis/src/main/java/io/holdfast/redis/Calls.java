package io.holdfast.redis;

import io.holdfast.spi.DurationText;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs scripts, and gives up on those that are not answered in time. */
final class Calls {

    /*
     * One sweep over what is under way instead of a timer for each call: calls are many, and hardly one of them is late.
     */
    private static final int SWEEPS_PER_TIMEOUT = 8;

    private final Link link;
    private final Environment environment;
    private final Duration timeout;
    private final int replicas;
    private final Duration replicaTimeout;
    private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean sweeping = new AtomicBoolean();

    Calls(Link link, Environment environment, Settings settings) {
        this.link = link;
        this.environment = environment;
        this.timeout = settings.timeout();
        this.replicas = settings.replicas();
        this.replicaTimeout = settings.replicaTimeout();
    }

    private static final class Pending extends CompletableFuture<List<Object>> {
        private final Duration patience;
        private final long deadline;

        Pending(Duration patience, long deadline) {
            this.patience = patience;
            this.deadline = deadline;
        }
    }

    /** What fails before it has begun is a failed answer, too. */
    static <T extends @Nullable Object> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> call) {
        return CompletableFuture.completedFuture(call).thenCompose(Supplier::get);
    }

    /** Fails the answer if it does not come in time. */
    static <T extends @Nullable Object> CompletableFuture<T> inTime(
            Environment environment, Duration timeout, CompletableFuture<T> answer) {
        Scheduler.Task limit = environment
                .scheduler()
                .schedule(
                        () -> answer.completeExceptionally(
                                new RedisCommandTimeoutException("No answer within " + DurationText.of(timeout))),
                        timeout.toNanos());
        return answer.whenComplete((done, failure) -> limit.cancel());
    }

    /** Fails the answer to a plain command if it does not come in time. */
    <T extends @Nullable Object> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
        return inTime(environment, timeout, answer).whenComplete((done, failure) -> {
            if (failure != null && cause(failure) instanceof RedisCommandTimeoutException) {
                link.silent();
            }
        });
    }

    /** Must grants reach replicas before they count? */
    boolean needsReplicas() {
        return replicas > 0;
    }

    /** Runs it on the shared connection. */
    CompletableFuture<List<Object>> run(Script script, String[] keys, String... args) {
        Pending call = begin(timeout);
        try {
            send(link.commands(), script, keys, args, call);
        } catch (RuntimeException refused) {
            end(call, null, refused);
        }
        return call;
    }

    /** Runs it, and is answered when enough replicas have it; fails if they have not in time. */
    CompletableFuture<List<Object>> runOnReplicas(Script script, String[] keys, String... args) {
        if (replicas == 0) {
            return run(script, keys, args);
        }
        Pending call = begin(timeout.plus(replicaTimeout));
        ConfirmedCall confirmed = new ConfirmedCall(link, script, keys, args, replicas, replicaTimeout, call::isDone);
        var unused = attempt(confirmed::send).whenComplete((answer, failure) -> end(call, answer, failure));
        return call;
    }

    private Pending begin(Duration patience) {
        Pending call = new Pending(patience, environment.ticker().nanos() + patience.toNanos());
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
                // Not executed: the server has been restarted, or its scripts were flushed.
                RedisFuture<List<Object>> again = commands.eval(script.body(), ScriptOutputType.MULTI, keys, args);
                var unusedRepeat = again.whenComplete((late, gone) -> end(call, late, gone));
            } else {
                end(call, answer, failure);
            }
        });
    }

    private void end(Pending call, @Nullable List<Object> answer, @Nullable Throwable failure) {
        pending.remove(call);
        if (failure != null) {
            Throwable cause = cause(failure);
            call.completeExceptionally(explained(cause));
            if (isElsewhere(String.valueOf(cause.getMessage()))) {
                link.demoted();
            }
        } else {
            call.complete(answer);
        }
    }

    /** What went wrong, without what futures put around it. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Netty says no more than the name of its exception. */
    private static Throwable explained(Throwable cause) {
        return cause instanceof ClosedChannelException
                ? new RedisException("The connection was closed before the answer came", cause)
                : cause;
    }

    /** The server is not the master any more, or not of this slot. */
    private static boolean isElsewhere(String message) {
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
            endLate();
        } finally {
            // Whatever happened: without this nothing would ever be given up again.
            if (!pending.isEmpty() || !stopSweeping()) {
                sweepLater();
            }
        }
    }

    private void endLate() {
        long now = environment.ticker().nanos();
        boolean late = false;
        for (Pending call : pending) {
            if (call.deadline - now <= 0) {
                late = true;
                end(call, null, new RedisCommandTimeoutException("No answer within " + DurationText.of(call.patience)));
            }
        }
        if (late) {
            link.silent();
        }
    }

    /** False if somebody has begun in between and left it to this sweep. */
    private boolean stopSweeping() {
        sweeping.set(false);
        return pending.isEmpty() || !sweeping.compareAndSet(false, true);
    }
}
