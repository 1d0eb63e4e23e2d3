package io.holdfast.internal;

import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
     * The listener is called from a queue, one call after the other, so it sees elected and deposed in turns. Under the
     * mutex: `term` goes from null to a lease when the lock is granted, and back by exactly one of loss and resignation,
     * which then stands again.
     */
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final Engine engine;
    private final NamedLock lock;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private boolean calling;
    private @Nullable Listener listener;
    private @Nullable CompletableFuture<Lease> waiting;
    private volatile @Nullable HeldLease term;
    /** Completes when the last term has been given back. */
    private CompletableFuture<Void> ending = CompletableFuture.completedFuture(null);

    private boolean closed;

    Election(Engine engine, NamedLock lock) {
        this.engine = engine;
        this.lock = lock;
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
        if (present == null) {
            return false;
        }
        LeaseState state = present.state();
        return state == LeaseState.HELD || state == LeaseState.AT_RISK;
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
            return over(present);
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

    private void ask() {
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
                    var unused = over(granted);
                });
            } else {
                granted.drop();
            }
        } else if (!asked.isCancelled() && !engine.isClosing()) {
            LOG.log(Level.ERROR, "Standing for '" + name() + "' failed; it is tried again.", failure);
            engine.schedule(this::ask, engine.backoff(10, lock.wish.terms().lease()));
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
        call(to -> to.elected(new NestedLease(granted)), () -> {});
        return true;
    }

    /** The term has ended, by loss or resignation: the listener first, then the store, then once more. */
    private CompletableFuture<Void> over(HeldLease ended) {
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
        call(to -> to.deposed(new NestedLease(ended)), () -> {
            ended.drop();
            done.complete(null);
            if (!isClosed()) {
                ask();
            }
        });
        return done;
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
                    LOG.log(Level.ERROR, "The listener of the election '" + name() + "' threw.", thrown);
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
            next.run();
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
