package io.holdfast.internal;

import io.holdfast.spi.Claim;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives claims back to the store. A release whose outcome is unknown is tried again in the background until the store has
 * answered, or until the claim must have expired.
 */
final class Releaser {

    /** The answer for a hold that ended without a word to the store. */
    static final CompletableFuture<Optional<Boolean>> STILL_OURS =
            CompletableFuture.completedFuture(Optional.of(Boolean.TRUE));

    private static final CompletableFuture<Optional<Boolean>> NOT_OURS =
            CompletableFuture.completedFuture(Optional.of(Boolean.FALSE));

    private static final long LIFE_IN_A_QUEUE = TimeUnit.MINUTES.toNanos(1);

    private final Engine engine;
    private final Set<Claim> unanswered = ConcurrentHashMap.newKeySet();

    Releaser(Engine engine) {
        this.engine = engine;
    }

    /** How long a store may know of a claim that was not granted yet: it may be granted later, and then has its lease. */
    static long lifeOf(Claim waiting) {
        return waiting.lease().toNanos() + LIFE_IN_A_QUEUE;
    }

    /**
     * Releases, and keeps trying for as long as the store may keep the claim: {@code lease}.
     *
     * @return what the first try brought: whether the claim still held, or empty for unknown. Later tries are no answer to
     *     that question, because the first may have been executed.
     */
    CompletableFuture<Optional<Boolean>> release(Claim claim, long lease) {
        DirectStore direct = engine.direct();
        Boolean released = direct == null ? null : direct.releaseNow(claim);
        if (released != null) {
            return released ? STILL_OURS : NOT_OURS;
        }
        CompletableFuture<Boolean> first = engine.callStore(store -> store.release(claim));
        if (first.isDone() && !first.isCompletedExceptionally()) {
            return Boolean.FALSE.equals(first.join()) ? NOT_OURS : STILL_OURS;
        }
        long giveUpAt = engine.nanos() + Math.min(lease, Term.LONGEST);
        unanswered.add(claim);
        return first.handle((held, failure) -> {
            settle(claim, failure, 1, giveUpAt);
            return Optional.ofNullable(held);
        });
    }

    /** As {@link #release}, for those who do not ask how it went; a failure is logged. */
    void letGo(Claim claim, long lease) {
        var unused = release(claim, lease);
    }

    /** Releases after a while; if the process ends before, the lease ends by itself. */
    void releaseLater(Claim claim, long lease, long delayNanos) {
        engine.schedule(() -> letGo(claim, lease), delayNanos);
    }

    /** How many releases the store has not answered. */
    int unanswered() {
        return unanswered.size();
    }

    private void again(Claim claim, int tries, long giveUpAt) {
        Futures.whenDone(
                engine.callStore(store -> store.release(claim)),
                (held, failure) -> settle(claim, failure, tries, giveUpAt));
    }

    private void settle(Claim claim, @Nullable Throwable failure, int tries, long giveUpAt) {
        if (failure == null) {
            unanswered.remove(claim);
            engine.signalIdle();
            return;
        }
        long delay = engine.backoff(tries, claim.lease().toNanos() / 3);
        if (engine.nanos() + delay - giveUpAt >= 0 || engine.isClosed()) {
            unanswered.remove(claim);
            engine.signalIdle();
            engine.events().releaseFailed(claim, failure);
        } else {
            engine.schedule(() -> again(claim, tries + 1, giveUpAt), delay);
        }
    }
}
