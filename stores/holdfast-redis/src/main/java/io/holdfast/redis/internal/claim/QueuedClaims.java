package io.holdfast.redis.internal.claim;

import io.holdfast.redis.internal.connection.GrantMessage;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.support.Failures;
import io.holdfast.spi.support.RateLimitedLog;
import io.holdfast.spi.support.RecentClaims;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The claims of this process that wait in queues of the server, and the pub/sub messages for them. */
public final class QueuedClaims implements RedisConnections.Listener {

    /*
     * A message for a claim that does not wait here: the grant must be released, or the name is blocked for a while. But the claim
     * may be a holder. Either it has polled, and found the grant, before the message arrived; or the message arrived twice, by a
     * connection that was replaced and by the new one. In the first case the grant is confirmed in the server, and only grants that
     * are not confirmed are released. For the second case, `grantedByMessage` has the claims that were granted by a message.
     */
    private final Map<ClaimId, QueuedClaim> claims = new ConcurrentHashMap<>();
    private final Environment environment;
    private final LockKeys keys;
    private final RateLimitedLog log;
    private final RecentClaims uncertain;
    private final RecentClaims grantedByMessage;
    private final Consumer<GrantMessage> unclaimed;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param uncertain claims of which a request may still arrive at the server; those that end so are added
     * @param unclaimed is called with the message of a grant that no claim of this process waits for
     */
    public QueuedClaims(
            Environment environment,
            LockKeys keys,
            RateLimitedLog log,
            RecentClaims uncertain,
            Consumer<GrantMessage> unclaimed) {
        this.environment = environment;
        this.keys = keys;
        this.log = log;
        this.uncertain = uncertain;
        this.grantedByMessage = new RecentClaims(environment.ticker());
        this.unclaimed = unclaimed;
    }

    /** Starts to wait, or polls at once if the claim waits already. */
    public CompletableFuture<Optional<Grant>> acquire(Claim claim, AcquireRequests requests) {
        QueuedClaim queued = claims.computeIfAbsent(
                claim.id(), id -> new QueuedClaim(claim, requests, environment.scheduler(), this::ended));
        queued.poll();
        return queued.result();
    }

    /** The claim is about to be released. */
    public void cancel(ClaimId id) {
        QueuedClaim queued = claims.remove(id);
        if (queued != null && queued.cancel()) {
            uncertain.add(id);
        }
        grantedByMessage.remove(id);
    }

    public boolean isEmpty() {
        return claims.isEmpty();
    }

    /** Ends all of them with that exception. */
    public void close(Throwable failure) {
        closed.set(true);
        claims.values().forEach(queued -> queued.fail(failure));
    }

    /** Called by the claim before its future is completed, so that a release that follows knows what is uncertain. */
    private void ended(QueuedClaim queued, QueuedClaim.End end) {
        ClaimId id = queued.claim().id();
        if (end == QueuedClaim.End.GRANTED_BY_MESSAGE || end == QueuedClaim.End.GRANTED_BY_MESSAGE_WHILE_POLLING) {
            // Before the claim is removed, for the same message may arrive once more.
            grantedByMessage.add(id);
        }
        if (end == QueuedClaim.End.UNCERTAIN || end == QueuedClaim.End.GRANTED_BY_MESSAGE_WHILE_POLLING) {
            uncertain.add(id);
        }
        claims.remove(id, queued);
    }

    @Override
    public void onMessage(String text) {
        Moment received = environment.ticker().now();
        Optional<GrantMessage> parsed = GrantMessage.parse(text);
        if (parsed.isEmpty()) {
            log.warn(() -> "Ignored a message on a wakeup channel that Holdfast has not sent: '" + text
                    + "'. Allow only Holdfast to publish there.");
            return;
        }
        GrantMessage message = parsed.get();
        QueuedClaim queued = claims.get(message.id());
        if (queued != null) {
            queued.onGrant(message, received);
        } else if (!closed.get() && !uncertain.has(message.id()) && !grantedByMessage.has(message.id())) {
            // A claim that is about to poll again finds the grant by that.
            unclaimed.accept(message);
        }
    }

    @Override
    public Collection<String> waitingKeys() {
        return claims.values().stream()
                .map(queued -> keys.key(queued.claim().name()))
                .toList();
    }

    @Override
    public void onMissedMessages() {
        claims.values().forEach(QueuedClaim::poll);
    }

    @Override
    public void onMissedMessages(Predicate<String> of) {
        for (QueuedClaim queued : claims.values()) {
            if (of.test(keys.key(queued.claim().name()))) {
                queued.poll();
            }
        }
    }

    /** Wakeup channels get new names by the connections. */
    @Override
    public void onPubSubUnavailable(Throwable reason) {
        if (!closed.get()) {
            log.warn(() -> "The pub/sub connection is unresponsive and cannot be replaced (" + Failures.unwrap(reason)
                    + "). Until it is, claims that wait in this process poll, every 1 to 30 seconds by their position"
                    + " in the wait queue.");
        }
    }
}
