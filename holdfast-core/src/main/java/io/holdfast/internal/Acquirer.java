package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSource;
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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes leases as a {@link Wish} says; what locks and semaphores have in common. All else is in the {@link Engine}. */
abstract class Acquirer implements LeaseSource {

    final Engine engine;
    final Wish wish;

    Acquirer(Engine engine, Wish wish) {
        this.engine = engine;
        this.wish = wish;
    }

    /** Why the current thread would wait for a lease that only it can release; null if it would not. */
    @Nullable
    RuntimeException selfDeadlock() {
        return null;
    }

    /** Why this lock cannot be had, even later, while the current thread holds the read side; null if it can. */
    @Nullable
    RuntimeException upgrade() {
        return null;
    }

    @Override
    public final String name() {
        return wish.name();
    }

    @Override
    public final LockOptions options() {
        return wish.terms().options();
    }

    @Override
    public final Lease acquire() {
        return taken(wish.terms().maxWait());
    }

    @Override
    public final Lease acquire(Duration maxWait) {
        return taken(checked(maxWait));
    }

    @Override
    public final Optional<Lease> tryAcquire() {
        return Optional.ofNullable(take(0, ThreadWaiter.Interrupts.HONOURED));
    }

    @Override
    public final Optional<Lease> tryAcquire(Duration maxWait) {
        try {
            return Optional.ofNullable(take(checked(maxWait), ThreadWaiter.Interrupts.HONOURED));
        } catch (LockTimeoutException over) {
            return Optional.empty();
        }
    }

    @Override
    public final CompletableFuture<Lease> acquireAsync() {
        return acquireAsync(wish.terms().maxWait());
    }

    @Override
    public final CompletableFuture<Lease> acquireAsync(Duration maxWait) {
        return acquireAsync(checked(maxWait));
    }

    private CompletableFuture<Lease> acquireAsync(long patience) {
        return takeAsync(patience, lease -> lease, () -> {
            throw engine.failures().busy(name(), Thread.currentThread());
        });
    }

    @Override
    public final CompletableFuture<Optional<Lease>> tryAcquireAsync() {
        return takeAsync(0, Optional::of, Optional::empty);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LockedCall<T, E> body) throws E {
        return under(taken(wish.terms().maxWait()), body);
    }

    @Override
    public final <E extends Exception> void run(LockedRun<E> body) throws E {
        call(asCall(body));
    }

    @Override
    public <E extends Exception> boolean tryRun(LockedRun<E> body) throws E {
        HeldLease lease = take(0, ThreadWaiter.Interrupts.HONOURED);
        if (lease == null) {
            return false;
        }
        under(lease, asCall(body));
        return true;
    }

    @Override
    public final LockInfo inspect() {
        List<LockInfo> infos = engine.await(name(), engine.inspect(NameFilter.exactly(name())));
        return infos.isEmpty()
                ? new LockInfo(name(), wish.share().capacity(), List.of(), 0, List.of())
                : engine.refined(infos.get(0));
    }

    @Override
    public final boolean forceRelease(long token) {
        Line line = engine.line(name());
        Tenures.Whose whose = line == null ? Tenures.Whose.NOT_OURS : line.revoking(token);
        if (whose == Tenures.Whose.ANOTHER_LEASE) {
            return false;
        }
        boolean done = engine.await(name(), engine.callStore(store -> store.revoke(name(), token)));
        if (done && line != null && whose == Tenures.Whose.THAT_LEASE) {
            line.revoked(token);
        }
        return done;
    }

    /** A lease, or the reason why not. */
    final HeldLease taken(long patience) {
        HeldLease lease = take(patience, ThreadWaiter.Interrupts.HONOURED);
        if (lease == null) {
            throw engine.failures().busy(name(), Thread.currentThread());
        }
        return lease;
    }

    /** A lease, or null if there was no time to wait and the name is taken. */
    final @Nullable HeldLease take(long patience, ThreadWaiter.Interrupts interrupts) {
        if (interrupts == ThreadWaiter.Interrupts.HONOURED
                && Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(
                    name(), engine.storeName(), "The thread was interrupted before it began to wait.", null);
        }
        RuntimeException selfDeadlock = selfDeadlock();
        if (selfDeadlock != null) {
            if (patience == 0) {
                return null;
            }
            throw selfDeadlock;
        }
        long since = engine.nanos();
        long joined = since;
        while (true) {
            ThreadWaiter waiter = new ThreadWaiter(engine, wish, mode(patience), since, joined, bound(patience));
            Line line = engine.join(waiter);
            HeldLease lease = waiter.await(line, interrupts);
            if (lease == null || !waiter.isTooLateFor(lease)) {
                return lease;
            }
            lease.drop();
            joined = engine.nanos();
            since = waiter.sinceAgain(joined);
        }
    }

    /** A lease, or empty if there was no time to wait and the name is taken. */
    final CompletableFuture<Optional<HeldLease>> takeAsync(long patience) {
        return takeAsync(patience, Optional::of, Optional::empty);
    }

    /** A lease, whenever it comes. */
    final CompletableFuture<Lease> waitAsync() {
        return acquireAsync(Terms.NO_END);
    }

    private <T> CompletableFuture<T> takeAsync(long patience, Function<HeldLease, T> success, Supplier<T> busy) {
        // Not selfDeadlock(): no thread waits, so the present lease can be released first.
        RuntimeException upgrade = upgrade();
        if (upgrade != null) {
            return patience == 0
                    ? CompletableFuture.completedFuture(busy.get())
                    : CompletableFuture.failedFuture(upgrade);
        }
        long since = engine.nanos();
        CompletableFuture<T> future = new CompletableFuture<>();
        new FutureWaiter<>(engine, wish, mode(patience), since, since, bound(patience), success, busy, future).start();
        return future;
    }

    private static Claim.Mode mode(long patience) {
        return patience == 0 ? Claim.Mode.TRY : Claim.Mode.WAIT;
    }

    /** One attempt has no time of its own; a store that never answers must not hold the caller for ever. */
    private long bound(long patience) {
        return patience == 0 ? Math.max(wish.terms().maxWait(), wish.terms().lease()) : patience;
    }

    private long checked(Duration maxWait) {
        return Terms.nanos(options().toBuilder().maxWait(maxWait).build().maxWait());
    }

    @SuppressWarnings("NullAway") // the checker does not see the Nullable in the type argument
    static <E extends Exception> LockedCall<@Nullable Void, E> asCall(LockedRun<E> body) {
        return lease -> {
            body.run(lease);
            return null;
        };
    }

    /** Runs the body and gives the lease back, whatever comes of it. */
    final <T extends @Nullable Object, E extends Exception> T under(HeldLease lease, LockedCall<T, E> body) throws E {
        BodyRun run = begin(lease);
        T result;
        try {
            result = body.call(lease);
        } catch (Throwable thrown) {
            boolean interruptedByUs = run != null && end(run, thrown);
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
        if (run != null) {
            end(run, null);
        }
        if (leaving(lease)) {
            lease.close();
        }
        return result;
    }

    /** The current thread is about to run a body. */
    void entering(HeldLease lease) {}

    /** The body has ended; whether the lease is to be given back now. */
    boolean leaving(HeldLease lease) {
        return true;
    }

    private @Nullable BodyRun begin(HeldLease lease) {
        entering(lease);
        if (options().onLoss() == LockOptions.OnLoss.SIGNAL) {
            return null;
        }
        BodyRun run = engine.threadHolds().beginBody();
        lease.hold().body = run;
        if (lease.state() == LeaseState.LOST) {
            run.interrupt();
        }
        return run;
    }

    private boolean end(BodyRun run, @Nullable Throwable thrown) {
        engine.threadHolds().endBody(run);
        return run.end(thrown);
    }

    private @Nullable LeaseLostException closed(HeldLease lease) {
        if (!leaving(lease)) {
            return null;
        }
        try {
            lease.close();
            return null;
        } catch (LeaseLostException lost) {
            return lost;
        }
    }
}
