package io.holdfast.internal;

import io.holdfast.LeaderElection;
import io.holdfast.Lease;
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

/** A candidate: waits for a lock without end, holds it without end, and takes it again after a loss. */
final class Election implements LeaderElection {

    /*
     * One leader at a time: a term is a lease, so `isLeader` says no before the store lets another in. A term that ends by
     * resigning is told to the listener first and given back to the store after the listener has returned; so the next
     * leader begins when the last one has stopped. A term that was lost is given back then too, for the case that the
     * store still has it: until then the store keeps others out, because the work may still be going on.
     *
     * The listener is called from a queue, one call after the other, so it sees elected and deposed in turns. A term that has
     * ended before its turn in the queue is left out altogether. Under the mutex: `term` goes from null to a lease when the lock is
     * granted, and back by exactly one of loss and resignation, which then stands again.
     *
     * A candidate that resigns stands again behind the waiting ones. Where the store has no wait queue, they poll, and a candidate that
     * stands again at once would be elected before they have polled: so it stands again after a pause.
     */
    private static final long STAND_AGAIN = TimeUnit.SECONDS.toNanos(2);

    private final Engine engine;
    private final NamedLock lock;
    private final RateLimitedLog log;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private boolean calling;
    private @Nullable Listener listener;
    private @Nullable CompletableFuture<Lease> waiting;
    private volatile @Nullable HeldLease term;
    /** Completes when the last term has been given back. */
    private CompletableFuture<Void> ending = CompletableFuture.completedFuture(null);

    private boolean closed;

    /** The term that the listener was told of; used by its calls alone. */
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
    public void stand(Listener toTell) {
        Objects.requireNonNull(toTell, "listener");
        if (engine.isClosing()) {
            throw engine.failures().closed(name());
        }
        mutex.lock();
        try {
            if (closed || listener != null) {
                throw new IllegalStateException("The candidate for '" + name() + "' "
                        + (closed ? "is closed" : "stands already") + ". Make another with election().");
            }
            listener = toTell;
        } finally {
            mutex.unlock();
        }
        engine.elections().add(this);
        if (isClosed()) {
            engine.elections().remove(this);
        }
        ask();
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
                            : Math.min(STAND_AGAIN, lock.wish.terms().lease()));
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
        engine.elections().remove(this);
        if (pending != null) {
            pending.cancel(false);
        }
        var unused = resign();
    }

    /** Stands for the next term. A failure is logged, and tried again later: a candidate must not stop standing in silence. */
    private void ask() {
        if (isClosed()) {
            return;
        }
        try {
            waitForTheLock();
        } catch (RuntimeException | Error failed) {
            tryAgain(failed);
        }
    }

    private void tryAgain(@Nullable Throwable failure) {
        log.log(Level.ERROR, failure, () -> "Standing for '" + name() + "' failed; it is tried again.");
        engine.schedule(this::ask, engine.backoff(10, lock.wish.terms().lease()));
    }

    private void waitForTheLock() {
        CompletableFuture<Lease> next = lock.waitAsync();
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

    private void answered(CompletableFuture<Lease> asked, @Nullable Lease lease, @Nullable Throwable failure) {
        if (lease instanceof HeldLease granted) {
            if (begin(granted)) {
                granted.onLost(() -> {
                    var unused = over(granted, 0);
                });
            } else {
                granted.drop();
            }
        } else if (!asked.isCancelled() && !engine.isClosing()) {
            tryAgain(failure);
        }
    }

    /** False if nobody wants the term any more. */
    private boolean begin(HeldLease granted) {
        mutex.lock();
        try {
            waiting = null;
            if (closed) {
                return false;
            }
            term = granted;
            // To hold for long is what a leader is for.
            granted.hold().warned = true;
        } finally {
            mutex.unlock();
        }
        call(
                to -> {
                    if (term == granted && granted.isHeld()) {
                        announced = granted;
                        to.elected(new NestedLease(granted));
                    }
                },
                () -> {});
        return true;
    }

    /** The term has ended, by loss or resignation: the listener first, then the store; {@code pause} later it stands again. */
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
                        to.deposed(new NestedLease(ended));
                    }
                },
                () -> {
                    try {
                        var unused = ended.giveBack();
                    } finally {
                        done.complete(null);
                        standAgain(pause);
                    }
                });
        return done;
    }

    private void standAgain(long pause) {
        if (pause == 0) {
            ask();
        } else if (!isClosed()) {
            engine.schedule(this::ask, pause);
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
