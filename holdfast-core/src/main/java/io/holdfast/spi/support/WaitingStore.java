package io.holdfast.spi.support;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link LockStore} of an {@link AttemptStore}: a claim that does not fit polls: on a hint for its name, at
 * the known expiry of the present holder, or after the poll interval (with jitter), whichever comes first.
 *
 * <p>Order between processes is whatever the attempts make of it; inside a process the engine keeps at most one waiting
 * claim per name, so the number of attempts does not grow with the number of waiting threads.
 */
public final class WaitingStore implements LockStore {

    private final AttemptStore store;
    private final Environment environment;
    private final long pollNanos;
    private final Map<ClaimId, Wait> waits = new ConcurrentHashMap<>();
    private final Map<String, Set<Wait>> waitsByName = new ConcurrentHashMap<>();

    /**
     * Waits on top of {@code store}; closing this closes it.
     *
     * @param poll how long a claim waits at most before it polls again
     */
    public WaitingStore(AttemptStore store, Environment environment, Duration poll) {
        if (poll.isZero() || poll.isNegative()) {
            throw new IllegalArgumentException("poll must be positive: " + poll);
        }
        this.store = store;
        this.environment = environment;
        this.pollNanos = poll.toNanos();
        store.onHint(this::hint);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        Wait wait = new Wait(claim);
        if (claim.mode() == Claim.Mode.WAIT) {
            Wait before = waits.get(claim.id());
            if (before != null) {
                before.finish(null, new IllegalStateException("The claim was sent again."));
            }
            waits.put(claim.id(), wait);
            waitsByName.compute(claim.name(), (name, present) -> {
                Set<Wait> set = present == null ? ConcurrentHashMap.newKeySet() : present;
                set.add(wait);
                return set;
            });
        }
        wait.poll();
        return wait.answer;
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        return store.renew(renewals);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        Wait wait = waits.get(claim.id());
        if (wait != null) {
            // Not "no": an attempt that is under way may be granted, and the release then says that the claim held.
            wait.finish(null, new IllegalStateException("The claim was released while it waited."));
        }
        return store.release(claim);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return store.shorten(claim, lease);
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return store.inspect(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return store.revoke(name, token);
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        waits.values().forEach(wait -> wait.finish(null, new IllegalStateException("The store was closed.")));
        store.close();
    }

    private void hint(String name) {
        Set<Wait> set = waitsByName.get(name);
        if (set != null) {
            set.forEach(Wait::poll);
        }
    }

    /*
     * One waiting claim. At most one attempt is under way at a time; a hint that comes while it is makes the next one
     * follow at once, because the attempt may have looked before the name became free. So no hint is lost between
     * "busy" and going to sleep: `polling` and `pollAgain` change only under the mutex, and the step that clears `polling`
     * looks at `pollAgain` in the same step.
     */
    private final class Wait {

        private final Claim claim;
        private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        private final ReentrantLock mutex = new ReentrantLock();
        private boolean polling;
        private boolean pollAgain;
        private boolean finished;
        private Scheduler.@Nullable Task timer;

        Wait(Claim claim) {
            this.claim = claim;
        }

        void poll() {
            mutex.lock();
            try {
                if (finished) {
                    return;
                }
                if (polling) {
                    pollAgain = true;
                    return;
                }
                polling = true;
                pollAgain = false;
                cancelTimer();
            } finally {
                mutex.unlock();
            }
            var unused = attempt().whenComplete(this::answered);
        }

        /** A store that throws has failed, like one whose future does. */
        @SuppressWarnings("NullAway") // a careless store may return no future at all
        private CompletableFuture<Attempt> attempt() {
            try {
                CompletableFuture<Attempt> answer = store.attempt(claim);
                return answer != null
                        ? answer
                        : CompletableFuture.failedFuture(new IllegalStateException("The store returned no future."));
            } catch (RuntimeException | Error thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        private void answered(@Nullable Attempt attempt, @Nullable Throwable failure) {
            if (attempt instanceof Attempt.Granted granted) {
                if (!finish(granted.grant(), null)) {
                    // The claim was released while this attempt was under way, and the attempt may have come second.
                    var unused = store.release(claim);
                }
            } else if (attempt instanceof Attempt.Busy busy) {
                if (claim.mode() == Claim.Mode.TRY) {
                    finish(null, null);
                } else {
                    sleep(busy.retryAfter());
                }
            } else {
                finish(null, failure != null ? failure : new IllegalStateException("The store answered nothing."));
            }
        }

        private void sleep(Duration retryAfter) {
            boolean again;
            mutex.lock();
            try {
                polling = false;
                again = pollAgain;
                if (!again && !finished) {
                    long poll = (long)
                            (pollNanos * (0.5 + 0.5 * environment.random().getAsDouble()));
                    long delay =
                            retryAfter.compareTo(Duration.ofNanos(poll)) < 0 ? Math.max(1, retryAfter.toNanos()) : poll;
                    timer = environment.scheduler().schedule(this::poll, delay);
                }
            } finally {
                mutex.unlock();
            }
            if (again) {
                poll();
            }
        }

        /** Ends the wait; false if it had ended before. */
        private boolean finish(@Nullable Grant grant, @Nullable Throwable failure) {
            mutex.lock();
            try {
                if (finished) {
                    return false;
                }
                finished = true;
                cancelTimer();
            } finally {
                mutex.unlock();
            }
            forget();
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                answer.complete(Optional.ofNullable(grant));
            }
            return true;
        }

        private void forget() {
            if (waits.remove(claim.id(), this)) {
                waitsByName.computeIfPresent(claim.name(), (name, set) -> {
                    set.remove(this);
                    return set.isEmpty() ? null : set;
                });
            }
        }

        private void cancelTimer() {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }
    }
}
