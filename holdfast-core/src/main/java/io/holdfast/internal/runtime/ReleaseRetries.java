package io.holdfast.internal.runtime;

import io.holdfast.internal.memory.DirectStore;
import io.holdfast.internal.queue.LeaseDeadline;
import io.holdfast.spi.Claim;
import io.holdfast.spi.support.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Releases claims in the store. A release whose outcome is unknown is retried in the background until the store has
 * answered, or until the claim must have expired.
 */
final class ReleaseRetries {

    private static final CompletableFuture<Optional<Boolean>> STILL_OURS =
            CompletableFuture.completedFuture(Optional.of(Boolean.TRUE));

    private static final CompletableFuture<Optional<Boolean>> NOT_OURS =
            CompletableFuture.completedFuture(Optional.of(Boolean.FALSE));

    /** Stores count in microseconds or milliseconds. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LIFE_IN_WAIT_QUEUE = TimeUnit.MINUTES.toNanos(1);

    private final Engine engine;
    private final StoreClient store;
    private final Backoff backoff;
    private final Events events;
    private final Shutdown shutdown;
    private final Set<Unanswered> unanswered = ConcurrentHashMap.newKeySet();
    /** How many claims will be shortened again when a renewal is answered. */
    private final AtomicInteger renewals = new AtomicInteger();
    /** How many releases are about to be sent. */
    private final AtomicInteger announced = new AtomicInteger();

    ReleaseRetries(Engine engine, StoreClient store, Backoff backoff, Events events, Shutdown shutdown) {
        this.engine = engine;
        this.store = store;
        this.backoff = backoff;
        this.events = events;
        this.shutdown = shutdown;
    }

    /** How long a store may know of a claim that was not granted yet: it may be granted later, and then has its lease. */
    private static long lifeOf(Claim waiting) {
        return waiting.lease().toNanos() + LIFE_IN_WAIT_QUEUE;
    }

    /** What a request is for, and so what it means if the store does not answer it. */
    private enum What {
        /** Release a lease. */
        LEASE,
        /** Release a claim that may have been granted. */
        CLAIM_OF_UNKNOWN_OUTCOME,
        /** Shorten a lease to the rest of {@code holdAtLeast}. */
        REST_OF_HOLD
    }

    /**
     * A request that the store has not answered.
     *
     * @param giveUpAt when it is not repeated any more, on the monotonic clock; for a {@code REST_OF_HOLD}, the end of the hold
     */
    private record Unanswered(Claim claim, What what, long giveUpAt) {}

    /**
     * Releases a lease, and retries for as long as the store may keep the claim: {@code lease}.
     *
     * @return what the first try brought: whether the claim still held, or empty for unknown. Later tries are no answer to
     *     that question, because the first may have been executed.
     */
    CompletableFuture<Optional<Boolean>> release(Claim claim, long lease) {
        return release(claim, lease, What.LEASE);
    }

    /** Ends a claim that is not known to be granted; a failure is logged. */
    void withdraw(Claim claim) {
        var unused = release(claim, lifeOf(claim), What.CLAIM_OF_UNKNOWN_OUTCOME);
    }

    /**
     * Releases after a while. The lease is shortened to that time at once: if this process ends before, the store keeps the name
     * for the rest of the hold, and not for the rest of the lease.
     *
     * @return whether the claim still held when it was shortened, as for {@link #release}
     */
    CompletableFuture<Optional<Boolean>> releaseLater(Claim claim, long lease, long delayNanos) {
        engine.schedule(
                () -> {
                    var unused = release(claim, lease);
                },
                delayNanos);
        return send(new Unanswered(claim, What.REST_OF_HOLD, engine.nanos() + delayNanos));
    }

    /** A claim was shortened while a renewal of it was under way. */
    void awaitsRenewal() {
        renewals.incrementAndGet();
    }

    /** That renewal is over, and may have lengthened the claim. */
    void shortenAgain(Claim claim, long rest) {
        if (rest > 0) {
            var unused = send(new Unanswered(claim, What.REST_OF_HOLD, engine.nanos() + rest));
        }
        renewals.decrementAndGet();
        shutdown.signal();
    }

    /** A release is about to be sent. Its queue may be gone before it is sent, so {@code close()} has to know of it. */
    void announced() {
        announced.incrementAndGet();
    }

    /** It was sent: if it is not answered, it is among the unanswered by now. */
    void sent() {
        announced.decrementAndGet();
        shutdown.leaseEnded();
    }

    /** How many requests that end or shorten claims are to be sent, or were not answered. */
    int unanswered() {
        return announced.get() + unanswered.size() + renewals.get();
    }

    private CompletableFuture<Optional<Boolean>> release(Claim claim, long lease, What what) {
        DirectStore direct = store.direct();
        Boolean released = direct == null ? null : direct.releaseNow(claim);
        if (released != null) {
            return released ? STILL_OURS : NOT_OURS;
        }
        return send(new Unanswered(claim, what, engine.nanos() + Math.min(lease, LeaseDeadline.LONGEST)));
    }

    private CompletableFuture<Optional<Boolean>> send(Unanswered pending) {
        CompletableFuture<Boolean> first = request(pending);
        if (first.isDone() && !first.isCompletedExceptionally()) {
            store.health().answered();
            return Boolean.FALSE.equals(first.join()) ? NOT_OURS : STILL_OURS;
        }
        unanswered.add(pending);
        return first.handle((held, failure) -> {
            settle(pending, failure, 1);
            return Optional.ofNullable(held);
        });
    }

    private void again(Unanswered pending, int tries) {
        Futures.whenDone(request(pending), (held, failure) -> settle(pending, failure, tries));
    }

    private CompletableFuture<Boolean> request(Unanswered pending) {
        Claim claim = pending.claim;
        if (pending.what != What.REST_OF_HOLD) {
            return store.call(target -> target.release(claim));
        }
        Duration rest = Duration.ofNanos(Math.max(SHORTEST, pending.giveUpAt - engine.nanos()));
        return store.call(target -> target.shorten(claim, rest));
    }

    private void settle(Unanswered pending, @Nullable Throwable failure, int tries) {
        if (failure == null) {
            unanswered.remove(pending);
            shutdown.signal();
            store.health().answered();
            return;
        }
        store.health().failed(failure);
        long delay = backoff.delay(tries, pending.claim.lease().toNanos() / 3);
        if (engine.nanos() + delay - pending.giveUpAt >= 0 || shutdown.isOver()) {
            unanswered.remove(pending);
            shutdown.signal();
            switch (pending.what) {
                case LEASE -> events.releaseFailed(pending.claim, failure);
                case CLAIM_OF_UNKNOWN_OUTCOME -> events.withdrawalFailed(pending.claim, failure);
                case REST_OF_HOLD -> events.shorteningFailed(pending.claim, failure);
            }
        } else {
            engine.schedule(() -> again(pending, tries + 1), delay);
        }
    }
}
