package io.holdfast.redis;

import io.holdfast.StaleTokenException;
import io.holdfast.redis.internal.script.FenceRunner;
import io.holdfast.redis.internal.script.FenceScript;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Executes Redis commands under the fencing token of one lease, from {@link RedisFence#of(io.holdfast.Lease)}: each only if no later
 * holder of the lock has written, to whichever key. Check and command are one script.
 *
 * <p>Every method throws {@link StaleTokenException} if a newer token has written under the lock, or if the token is older
 * than the fence's retention and there is no mark; nothing was executed then. The asynchronous forms do not block: their
 * stage fails with what the others throw. The blocking forms block up to the timeout of the connection.
 *
 * <p>Errors of Redis and Lettuce are thrown as Lettuce's own exceptions. Lettuce may send a command again after a
 * reconnect, unless its options disable that; a command that must not be executed twice has to ensure that itself. While
 * a slot of a Cluster moves, a command may fail with {@code TRYAGAIN}: nothing was executed, and it can be repeated.
 *
 * <p>Thread-safe.
 */
public final class FencedWriter {

    private final FenceRunner runner;

    FencedWriter(FenceRunner runner) {
        this.runner = runner;
    }

    /**
     * Executes a command or a script, guarded by the token.
     *
     * <pre>{@code
     * Long left = fence.of(lease).run(FencedCommand.of("DECRBY").keys(stock).args("3").returningLong());
     * }</pre>
     */
    public <T extends @Nullable Object> T run(FencedCommand<T> command) {
        return runner.await(send(command));
    }

    /** {@link #run} without blocking. */
    public <T extends @Nullable Object> CompletionStage<T> runAsync(FencedCommand<T> command) {
        return runner.translated(send(command));
    }

    /**
     * Checks whether the token is stale, and does not count as a write: for readers, and before long work whose result
     * will be written later. When it returns, a newer token may have written already.
     */
    public void check() {
        runner.await(runner.send(FenceScript.CHECK, List.of(), List.of()));
    }

    /** {@link #check} without blocking. */
    public CompletionStage<@Nullable Void> checkAsync() {
        return runner.translated(runner.send(FenceScript.CHECK, List.of(), List.of()))
                .thenApply(done -> null);
    }

    private <T extends @Nullable Object> CompletionStage<T> send(FencedCommand<T> command) {
        if (command.keys().isEmpty()) {
            throw new IllegalArgumentException("keys must not be empty: list every key that is accessed");
        }
        return runner.send(command.script(), command.keys(), command.arguments());
    }
}
