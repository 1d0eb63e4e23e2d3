package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.PendingClaim;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.Backoff;
import io.holdfast.spi.support.SystemRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Makes claims, sends them to the store, and passes the answers to their queues. */
final class ClaimSender {

    private static final long LONGEST_BACKOFF = TimeUnit.SECONDS.toNanos(1);

    private final StoreClient store;
    private final ReleaseRetries releases;
    private final Scheduler scheduler;
    private final Backoff backoff;
    private final int tokens;
    private final SystemRandom identities = new SystemRandom();
    private final long firstIdentity = identities.nextLong();
    private final AtomicLong claims = new AtomicLong();

    /** {@code tokens} is how many leases a grant may be used for. */
    ClaimSender(StoreClient store, ReleaseRetries releases, Scheduler scheduler, Backoff backoff, int tokens) {
        this.store = store;
        this.releases = releases;
        this.scheduler = scheduler;
        this.backoff = backoff;
        this.tokens = tokens;
    }

    /** Readers who share a claim share its token, so they need no block. */
    Claim newClaim(Waiter waiter) {
        LockRequest request = waiter.request;
        return new Claim(
                request.name(),
                claimId(),
                waiter.mode,
                request.units().wanted(),
                request.units().capacity(),
                request.options().leaseTime(),
                request.units().isRead() ? 1 : tokens,
                request.owner());
    }

    private ClaimId claimId() {
        // A store in this JVM is copied with its process, so its claims meet no others.
        long random = store.direct() != null ? firstIdentity : identities.nextLong();
        return new ClaimId(random, claims.incrementAndGet());
    }

    /** An answer that is there at once may lead to the next claim: a loop, because a recursion could overflow the stack. */
    void send(LocalQueue queue, PendingClaim first) {
        PendingClaim pending = first;
        while (pending != null) {
            Claim claim = pending.claim();
            pending.sending();
            CompletableFuture<Optional<Grant>> answer = store.acquire(pending.request(), claim);
            PendingClaim next = null;
            if (answer.isDone()) {
                next = answered(queue, pending, answer);
            } else {
                PendingClaim sent = pending;
                Futures.whenDone(answer, (grant, failure) -> {
                    PendingClaim following = answered(queue, sent, answer);
                    if (following != null) {
                        send(queue, following);
                    }
                });
            }
            if (pending.isWithdrawn()) {
                // Withdrawn while it was being sent: the release may have gone first.
                releases.withdraw(claim);
            }
            pending = next;
        }
    }

    private @Nullable PendingClaim answered(
            LocalQueue queue, PendingClaim pending, CompletableFuture<Optional<Grant>> done) {
        Throwable failure = Futures.failureOf(done);
        if (failure == null) {
            store.health().answered();
        } else if (!pending.isWithdrawn()) {
            // A claim that was released while it waited fails because of that.
            store.health().failed(failure);
        }
        // A careless store may complete with null.
        Optional<Grant> grant =
                failure == null ? Optional.ofNullable(done.join()).flatMap(answer -> answer) : Optional.empty();
        return queue.answered(pending, grant.orElse(null), failure);
    }

    /** Sends a claim again, unchanged, after an unknown outcome. */
    void resend(LocalQueue queue, PendingClaim pending) {
        scheduler.schedule(
                () -> {
                    if (!pending.isWithdrawn()) {
                        send(queue, pending);
                    }
                },
                backoff.delay(pending.failures(), LONGEST_BACKOFF));
    }
}
