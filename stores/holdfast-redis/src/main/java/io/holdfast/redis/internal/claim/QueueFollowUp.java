package io.holdfast.redis.internal.claim;

import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.redis.internal.script.QueueReply;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.redis.internal.script.ScriptRunner;
import io.holdfast.spi.support.RateLimitedLog;
import java.util.function.BooleanSupplier;

/** Acts on what a script reports about the wait queue: continues to serve it, and logs that waiters cannot be notified. */
public final class QueueFollowUp {

    private final ScriptRunner runner;
    private final LockKeys keys;
    private final String retention;
    private final RateLimitedLog log;
    private final BooleanSupplier closed;

    /** @param retention in microseconds */
    public QueueFollowUp(
            ScriptRunner runner, LockKeys keys, String retention, RateLimitedLog log, BooleanSupplier closed) {
        this.runner = runner;
        this.keys = keys;
        this.retention = retention;
        this.log = log;
        this.closed = closed;
    }

    /** After a script that may have handed the name over. */
    public void handle(String key, QueueReply reply) {
        if (!reply.publishFailure().isEmpty()) {
            log.warn(() -> "The pub/sub message to the next waiter for '" + keys.name(key) + "' could not be sent ("
                    + reply.publishFailure()
                    + "). Waiters poll instead, every 1 to 30 seconds. If the ACL forbids it, allow PUBLISH and the"
                    + " channels: see docs/stores/redis.md, Least privileges.");
        }
        if (reply.more() && !closed.getAsBoolean()) {
            var unused = runner.run(Script.SERVE_QUEUE, new String[] {key}, retention)
                    .thenAccept(parts -> handle(key, QueueReply.of(parts)));
        }
    }
}
