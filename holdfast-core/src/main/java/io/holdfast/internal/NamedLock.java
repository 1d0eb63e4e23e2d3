package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockInfo;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.LockedCall;
import io.holdfast.LockedRun;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A name and the terms it is locked on; all else is in the {@link Engine}. */
final class NamedLock implements DistributedLock {

    private final Engine engine;
    private final String name;
    private final Terms terms;

    NamedLock(Engine engine, String name, Terms terms) {
        this.engine = engine;
        this.name = name;
        this.terms = terms;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockOptions options() {
        return terms.options();
    }

    @Override
    public Lease acquire() {
        return taken(terms.maxWait());
    }

    @Override
    public Lease acquire(Duration maxWait) {
        return taken(checked(maxWait));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return Optional.ofNullable(take(0, ThreadWaiter.Interrupts.HONOURED));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration maxWait) {
        try {
            return Optional.ofNullable(take(checked(maxWait), ThreadWaiter.Interrupts.HONOURED));
        } catch (LockTimeoutException over) {
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<Lease> acquireAsync() {
        return takeAsync(terms.maxWait(), lease -> lease, () -> {
            throw engine.busy(name, Thread.currentThread());
        });
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(Duration maxWait) {
        return takeAsync(checked(maxWait), lease -> lease, () -> {
            throw engine.busy(name, Thread.currentThread());
        });
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync() {
        return takeAsync(0, Optional::of, Optional::empty);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LockedCall<T, E> body) throws E {
        ThreadHolds.Entry outer = engine.threadHolds().find(name);
        if (outer != null) {
            outer.lease.ensureHeld();
            return body.call(new NestedLease(outer.lease));
        }
        return under(taken(terms.maxWait()), body);
    }

    @Override
    public <E extends Exception> void run(LockedRun<E> body) throws E {
        call(asCall(body));
    }

    @Override
    public <E extends Exception> boolean tryRun(LockedRun<E> body) throws E {
        if (engine.threadHolds().find(name) != null) {
            run(body);
            return true;
        }
        HeldLease lease = take(0, ThreadWaiter.Interrupts.HONOURED);
        if (lease == null) {
            return false;
        }
        under(lease, asCall(body));
        return true;
    }

    @Override
    public Lock asLock() {
        return new ThreadOwnedLock(engine, this);
    }

    @Override
    public Lease requireHeld() {
        ThreadHolds.Entry entry = engine.threadHolds().find(name);
        if (entry != null) {
            entry.lease.ensureHeld();
            return new NestedLease(entry.lease);
        }
        Line line = engine.line(name);
        Hold hold = line == null ? null : line.hold();
        if (hold != null && Thread.currentThread().equals(hold.caller)) {
            HeldLease lease = hold.get();
            if (lease != null && lease.state() != LeaseState.RELEASED) {
                lease.ensureHeld();
                return new NestedLease(lease);
            }
        }
        throw new IllegalMonitorStateException("'" + name + "' must be held by this thread here, and is not. Call this"
                + " inside run(), call() or after acquire() on the same thread; elsewhere pass the Lease along and use"
                + " its ensureHeld().");
    }

    @Override
    public LockInfo inspect() {
        List<LockInfo> infos = engine.await(name, engine.inspect(NameFilter.exactly(name)));
        return infos.isEmpty() ? new LockInfo(name, List.of(), 0) : engine.refined(infos.get(0));
    }

    @Override
    public boolean forceRelease(long token) {
        Line line = engine.line(name);
        Line.Whose whose = line == null ? Line.Whose.NOT_OURS : line.revoking(token);
        if (whose == Line.Whose.ANOTHER_LEASE) {
            return false;
        }
        boolean done = engine.await(name, engine.callStore(store -> store.revoke(name, token)));
        if (done && line != null && whose == Line.Whose.THAT_LEASE) {
            line.revoked(token);
        }
        return done;
    }

    /** A lease, or the reason why not. */
    HeldLease taken(long patience) {
        HeldLease lease = take(patience, ThreadWaiter.Interrupts.HONOURED);
        if (lease == null) {
            throw engine.busy(name, Thread.currentThread());
        }
        return lease;
    }

    /** A lease, or null if there was no time to wait and the name is taken. */
    @Nullable
    HeldLease take(long patience, ThreadWaiter.Interrupts interrupts) {
        if (interrupts == ThreadWaiter.Interrupts.HONOURED
                && Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(
                    name, engine.storeName(), "The thread was interrupted before it began to wait.", null);
        }
        ThreadWaiter waiter = new ThreadWaiter(engine, terms, mode(patience), engine.nanos(), bound(patience));
        Line line = engine.join(name, waiter);
        return waiter.await(line, interrupts);
    }

    private <T> CompletableFuture<T> takeAsync(long patience, Function<Lease, T> success, Supplier<T> busy) {
        return new FutureWaiter<>(engine, terms, mode(patience), engine.nanos(), bound(patience), success, busy)
                .start(name);
    }

    private static Claim.Mode mode(long patience) {
        return patience == 0 ? Claim.Mode.TRY : Claim.Mode.WAIT;
    }

    /** One attempt has no time of its own; a store that never answers must not hold the caller for ever. */
    private long bound(long patience) {
        return patience == 0 ? Math.max(terms.maxWait(), terms.lease()) : patience;
    }

    private long checked(Duration maxWait) {
        return Terms.nanos(terms.options().withMaxWait(maxWait).maxWait());
    }

    @SuppressWarnings("NullAway") // the checker does not see the Nullable in the type argument
    private static <E extends Exception> LockedCall<@Nullable Void, E> asCall(LockedRun<E> body) {
        return lease -> {
            body.run(lease);
            return null;
        };
    }

    private <T extends @Nullable Object, E extends Exception> T under(HeldLease lease, LockedCall<T, E> body) throws E {
        BodyRun run = begin(lease);
        T result;
        try {
            result = body.call(lease);
        } catch (Throwable thrown) {
            boolean interruptedByUs = end(run, thrown);
            LeaseLostException lost = closed(lease);
            if (lost != null && interruptedByUs) {
                lost.addSuppressed(thrown);
                throw lost;
            }
            if (lost != null) {
                thrown.addSuppressed(lost);
            }
            throw thrown;
        }
        end(run, null);
        lease.close();
        return result;
    }

    private @Nullable BodyRun begin(HeldLease lease) {
        engine.threadHolds().enter(name, new ThreadHolds.Entry(lease, false));
        if (terms.options().onLoss() == LockOptions.OnLoss.SIGNAL) {
            return null;
        }
        BodyRun run = new BodyRun();
        lease.hold().body = run;
        if (lease.state() == LeaseState.LOST) {
            run.interrupt();
        }
        return run;
    }

    private boolean end(@Nullable BodyRun run, @Nullable Throwable thrown) {
        engine.threadHolds().exit(name);
        return run != null && run.end(thrown);
    }

    private static @Nullable LeaseLostException closed(HeldLease lease) {
        try {
            lease.close();
            return null;
        } catch (LeaseLostException lost) {
            return lost;
        }
    }
}
