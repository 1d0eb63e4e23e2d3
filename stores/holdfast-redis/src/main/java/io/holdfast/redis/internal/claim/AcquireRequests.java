package io.holdfast.redis.internal.claim;

import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.script.AcquireReply;
import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.redis.internal.script.QueueReply;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.redis.internal.script.ScriptConstants;
import io.holdfast.redis.internal.script.ScriptRunner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.OwnerFormat;
import io.holdfast.spi.support.RateLimitedLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Sends the acquire script for a claim, and converts its reply to a grant or an exception. */
public final class AcquireRequests {

    /** How many elements a reply has that ends with what {@link QueueFollowUp} handles. */
    private static final int PARTS_WITH_QUEUE_REPLY = 6;

    private final RedisConnections connections;
    private final ScriptRunner runner;
    private final LockKeys keys;
    private final QueueFollowUp followUp;
    private final Ticker ticker;
    private final long retentionMicros;
    private final RateLimitedLog log;
    private final BooleanSupplier closed;

    public AcquireRequests(
            RedisConnections connections,
            ScriptRunner runner,
            LockKeys keys,
            QueueFollowUp followUp,
            Ticker ticker,
            long retentionMicros,
            RateLimitedLog log,
            BooleanSupplier closed) {
        this.connections = connections;
        this.runner = runner;
        this.keys = keys;
        this.followUp = followUp;
        this.ticker = ticker;
        this.retentionMicros = retentionMicros;
        this.log = log;
        this.closed = closed;
    }

    /**
     * The answer to a request.
     *
     * @param key the key of the name
     * @param sent when the request was sent
     */
    public record Answer(Claim claim, String key, AcquireReply reply, Moment sent) {

        /** The grant of that reply. */
        public Grant grant(AcquireReply.Granted granted) {
            Duration left = Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(granted.left()));
            return new Grant(claim, granted.token(), granted.tokens(), sent, left);
        }

        /** The exception of a reply that is neither a grant nor a reason to wait. */
        public RuntimeException refusal() {
            if (reply instanceof AcquireReply.OtherCapacity present) {
                return RefusedException.wrongKind(claim, present.capacity());
            }
            if (reply instanceof AcquireReply.ForeignKey foreign) {
                return new RefusedException("The key " + key + " has the layout '" + foreign.layout() + "', not '"
                        + ScriptConstants.LAYOUT
                        + "': another version of Holdfast or another program has written it. Run the same version"
                        + " everywhere; keys of locks that are not used expire, by default after an hour. Or use another"
                        + " keyPrefix.");
            }
            return new IllegalStateException(
                    "Claim " + claim.id() + " was released before this request was executed (" + reply + ")");
        }
    }

    /**
     * Sends the claim; again while expired holders or dead waiters block it. Those requests have granted nothing.
     *
     * @param arrivalNumber the number of the claim in the queue, or empty if it has none
     */
    public CompletableFuture<Answer> send(Claim claim, String arrivalNumber) {
        Moment sent = ticker.now();
        String key = keys.key(claim.name());
        String channel = connections.wakeupChannel(key);
        return runner.runOnReplicas(
                        Script.ACQUIRE,
                        new String[] {key},
                        claim.id().toString(),
                        claim.mode() == Claim.Mode.TRY ? ScriptConstants.MODE_TRY : ScriptConstants.MODE_WAIT,
                        String.valueOf(claim.units()),
                        String.valueOf(claim.capacity()),
                        String.valueOf(micros(claim.lease())),
                        String.valueOf(claim.tokens()),
                        OwnerFormat.of(claim.owner()),
                        String.valueOf((micros(claim.lease()) + retentionMicros) / 1_000 + 1),
                        channel,
                        arrivalNumber)
                .thenCompose(parts -> {
                    AcquireReply reply = AcquireReply.of(parts);
                    if (parts.size() == PARTS_WITH_QUEUE_REPLY) {
                        followUp.handle(key, QueueReply.ofEnd(parts));
                    }
                    // The subscription was replaced meanwhile, so another one is not needed.
                    boolean replaced = reply instanceof AcquireReply.NotSubscribed
                            && !channel.equals(connections.wakeupChannel(key));
                    return !closed.getAsBoolean() && (replaced || reply instanceof AcquireReply.Unfinished)
                            ? send(claim, arrivalNumber)
                            : CompletableFuture.completedFuture(new Answer(claim, key, reply, sent));
                });
    }

    /**
     * Subscribes to the wakeup channel of the claim. If that fails, the claim is not in the wait queue, but the engine retries it
     * again and again.
     */
    CompletableFuture<Void> subscribe(Claim claim) {
        CompletableFuture<Void> subscribed = connections.subscribe(keys.key(claim.name()));
        var unused = subscribed.whenComplete((done, failure) -> {
            if (failure != null) {
                log.warn(() -> "Cannot subscribe to the wakeup channel (" + failure.getMessage()
                        + "). Until it is subscribed to,"
                        + " claims that wait in this process are not in the wait queue: they poll, and acquire a lock when"
                        + " no other process waits for it.");
            }
        });
        return subscribed;
    }

    /** Whether grants count only after replicas have confirmed them. */
    boolean waitsForReplicas() {
        return runner.waitsForReplicas();
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
