package io.holdfast.internal.handle;

import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.internal.runtime.Futures;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A candidate: waits for a lock without a maximum, holds it without an end, and acquires it again after a loss. */
final class Election implements LeaderElection {

    /*
     * One leader at a time: a term is a lease, so `isLeader` is false before the store grants the lock to another. When a leader
     * resigns, the listener is called first, and the lease is released after the listener has returned; so the next
     * leader begins when the last one has stopped. A lost term is released then too, for the case that the
     * store still has it: until then the store keeps other candidates out, because the work may still be running.
     *
     * The calls of the listener are queued, one after the other, so onElected and onRevoked alternate. A term that has
     * ended before its call in the queue is left out altogether. Under the mutex: `term` goes from null to a lease when the lock is
     * granted, and back by exactly one of loss and resignation, which then campaigns again.
     *
     * A candidate that resigns campaigns again behind the waiting ones. Where the store has no wait queue, they poll, and a candidate
     * that campaigns again at once would be elected before they have polled: so it does so after a pause.
     */
    private static final long PAUSE_AFTER_RESIGNATION = TimeUnit.SECONDS.toNanos(2);

    private final Engine engine;
    private final NamedLock lock;
    private final RateLimitedLog log;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private boolean calling;
    private @Nullable Listener listener;
    private @Nullable CompletableFuture<Lease> waiting;
    private volatile @Nullable HeldLease term;
    /** Completes when the release of the last term was sent. */
    private CompletableFuture<Void> ending = CompletableFuture.completedFuture(null);

    private boolean closed;

    /** The term that the listener was called with; used by its calls alone. */
    private @Nullable HeldLease announced;

    Election(Engine engine, NamedLock lock) {
        this.engine = engine;
        this.lock = lock;
        this.log = engine.rateLimitedLog();
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public void start(Listener newListener) {
        Objects.requireNonNull(newListener, "listener");
        if (engine.isClosing()) {
            throw engine.exceptions().closed(name());
        }
        mutex.lock();
        try {
            if (closed || listener != null) {
                throw new IllegalStateException("The candidate for '" + name() + "' "
                        + (closed ? "is closed" : "has been started already") + ". Make another with election().");
            }
            listener = newListener;
        } finally {
            mutex.unlock();
        }
        engine.closeBefore(this);
        if (isClosed()) {
            engine.closed(this);
        }
        campaign();
    }

    @Override
    public boolean isLeader() {
        HeldLease present = term;
        return present != null && present.isHeld();
    }

    @Override
    public Optional<Lease> term() {
        HeldLease present = term;
        return present != null && isLeader() ? Optional.of(new NestedLease(present)) : Optional.empty();
    }

    @Override
    public CompletableFuture<Void> resign() {
        HeldLease present = term;
        if (present != null) {
            return over(
                    present,
                    engine.isQueued()
                            ? 0
                            : Math.min(PAUSE_AFTER_RESIGNATION, lock.times().lease()));
        }
        mutex.lock();
        try {
            return ending;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        CompletableFuture<Lease> pending;
        mutex.lock();
        try {
            closed = true;
            pending = waiting;
        } finally {
            mutex.unlock();
        }
        engine.closed(this);
        if (pending != null) {
            pending.cancel(false);
        }
        var unused = resign();
    }

    /** Campaigns for the next term. A failure is logged and retried later: a candidate must not stop campaigning unnoticed. */
    private void campaign() {
        if (isClosed()) {
            return;
        }
        try {
            waitForLock();
        } catch (RuntimeException | Error failed) {
            tryAgain(failed);
        }
    }

    private void tryAgain(@Nullable Throwable failure) {
        log.log(Level.ERROR, failure, () -> "Leader election '" + name() + "': the acquisition failed; it is retried.");
        engine.schedule(this::campaign, engine.backoff(10, lock.times().lease()));
    }

    private void waitForLock() {
        CompletableFuture<Lease> next = lock.acquireAsync(LockOptions.FOREVER);
        boolean unwanted;
        mutex.lock();
        try {
            waiting = next;
            unwanted = closed;
        } finally {
            mutex.unlock();
        }
        if (unwanted) {
            next.cancel(false);
        }
        Futures.whenDone(next, (lease, failure) -> answered(next, lease, failure));
    }

    private void answered(CompletableFuture<Lease> pending, @Nullable Lease lease, @Nullable Throwable failure) {
        if (lease instanceof HeldLease granted) {
            if (begin(granted)) {
                granted.onLost(() -> {
                    var unused = over(granted, 0);
                });
            } else {
                granted.discard();
            }
        } else if (!pending.isCancelled() && !engine.isClosing()) {
            tryAgain(failure);
        }
    }

    /** False if the candidate was closed meanwhile. */
    private boolean begin(HeldLease granted) {
        mutex.lock();
        try {
            waiting = null;
            if (closed) {
                return false;
            }
            term = granted;
            // A leader is meant to hold for long.
            granted.record().suppressWarning();
        } finally {
            mutex.unlock();
        }
        call(
                to -> {
                    if (term == granted && granted.isHeld()) {
                        announced = granted;
                        to.onElected(new NestedLease(granted));
                    }
                },
                () -> {});
        return true;
    }

    /** The term has ended, by loss or resignation: calls the listener, then the store; {@code pause} later it campaigns again. */
    private CompletableFuture<Void> over(HeldLease ended, long pause) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        mutex.lock();
        try {
            if (term != ended) {
                return ending;
            }
            term = null;
            ending = done;
        } finally {
            mutex.unlock();
        }
        call(
                to -> {
                    if (announced == ended) {
                        announced = null;
                        to.onRevoked(new NestedLease(ended));
                    }
                },
                () -> {
                    try {
                        var unused = ended.releaseInBackground();
                    } finally {
                        done.complete(null);
                        campaignAgain(pause);
                    }
                });
        return done;
    }

    private void campaignAgain(long pause) {
        if (pause == 0) {
            campaign();
        } else if (!isClosed()) {
            engine.schedule(this::campaign, pause);
        }
    }

    private boolean isClosed() {
        mutex.lock();
        try {
            return closed;
        } finally {
            mutex.unlock();
        }
    }

    /** Calls the listener when its earlier calls have returned, and does {@code then} after that. */
    private void call(Consumer<Listener> what, Runnable then) {
        mutex.lock();
        try {
            Listener to = Objects.requireNonNull(listener);
            calls.add(() -> {
                try {
                    what.accept(to);
                } catch (Throwable thrown) {
                    log.log(
                            Level.ERROR,
                            thrown,
                            () -> "The listener of the election '" + name()
                                    + "' threw an exception; the election continues.");
                }
                then.run();
            });
            if (calling) {
                return;
            }
            calling = true;
        } finally {
            mutex.unlock();
        }
        engine.execute(this::callAll);
    }

    private void callAll() {
        for (Runnable next = nextCall(); next != null; next = nextCall()) {
            try {
                next.run();
            } catch (Throwable failed) {
                // The calls that follow must not be lost with it.
                log.log(
                        Level.ERROR,
                        failed,
                        () -> "A step of the election '" + name() + "' failed; the election continues.");
            }
        }
    }

    private @Nullable Runnable nextCall() {
        mutex.lock();
        try {
            Runnable next = calls.poll();
            calling = next != null;
            return next;
        } finally {
            mutex.unlock();
        }
    }
}
