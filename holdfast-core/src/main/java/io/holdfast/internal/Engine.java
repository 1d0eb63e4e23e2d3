package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseState;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.Owner;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Scheduler;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process's side of a store: its lines, and what they share. */
public final class Engine {

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_BACKOFF = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_BEFORE = TimeUnit.MILLISECONDS.toNanos(250);

    private final LockStore store;
    private final String storeName;
    private final Environment environment;
    private final Settings settings;
    private final long slice;
    private final long warnAfter;
    private final long process = new SecureRandom().nextLong();
    private final AtomicLong claims = new AtomicLong();
    private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();
    private final ReferenceQueue<HeldLease> dropped = new ReferenceQueue<>();
    private final Sites sites = new Sites();
    private final ThreadHolds threadHolds = new ThreadHolds();
    private final Events events;
    private final Keeper keeper;
    private final Releaser releaser;
    private final Shutdown shutdown;

    /** An engine on {@code store}, which stays the caller's to close. */
    public Engine(LockStore store, Environment environment, Settings settings) {
        this.store = store;
        this.storeName = store.capabilities().name();
        this.environment = environment;
        this.settings = settings;
        this.slice = Terms.nanos(settings.slice());
        this.warnAfter = Terms.nanos(settings.warnAfter());
        this.events = new Events(settings.listeners(), this, environment.ticker());
        this.keeper = new Keeper(this);
        this.releaser = new Releaser(this);
        this.shutdown = new Shutdown(this, settings.shutdownGrace());
    }

    /** A lock of that name. */
    public DistributedLock lock(String name, LockOptions options) {
        if (isClosing()) {
            throw closed(name);
        }
        return new NamedLock(this, Names.check(name), Terms.of(options));
    }

    /** What is held and waited for, by any process. */
    public List<LockInfo> inspectAll(String prefix, int limit) {
        return await(prefix, inspect(NameFilter.startingWith(prefix, limit)));
    }

    /** Refuses newcomers, waits for those inside, and gives up on those who stay. */
    public void close() {
        shutdown.run();
    }

    // What the lines use.

    Keeper keeper() {
        return keeper;
    }

    Releaser releaser() {
        return releaser;
    }

    Events events() {
        return events;
    }

    ThreadHolds threadHolds() {
        return threadHolds;
    }

    String storeName() {
        return storeName;
    }

    ReferenceQueue<HeldLease> dropped() {
        return dropped;
    }

    Collection<Line> lines() {
        return lines.values();
    }

    @Nullable
    Line line(String name) {
        return lines.get(name);
    }

    Moment now() {
        return environment.ticker().now();
    }

    long nanos() {
        return environment.ticker().nanos();
    }

    long slice() {
        return slice;
    }

    long warnAfter() {
        return warnAfter;
    }

    boolean isClosing() {
        return shutdown.hasBegun();
    }

    boolean isClosed() {
        return shutdown.isOver();
    }

    StackTraceElement @Nullable [] captureSite(long now) {
        return sites.capture(now);
    }

    Scheduler.Task schedule(Runnable task, long delayNanos) {
        return environment.scheduler().schedule(task, Math.max(0, delayNanos));
    }

    /** Runs user code. */
    void execute(Runnable userCode) {
        try {
            environment.executor().execute(userCode);
        } catch (RejectedExecutionException rejected) {
            // Rather on this thread than never: somebody may be waiting for it.
            LOG.log(
                    Level.WARNING,
                    "The executor refused a callback; running it on " + Thread.currentThread(),
                    rejected);
            userCode.run();
        }
    }

    /** A store that throws has said nothing, like one whose future fails. */
    <T> CompletableFuture<T> callStore(Function<LockStore, CompletableFuture<T>> call) {
        try {
            return call.apply(store);
        } catch (RuntimeException thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return callStore(target -> target.inspect(filter));
    }

    /** Waits for a store's answer to something that is not an acquisition. */
    <T> T await(String name, CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (RuntimeException failure) {
            throw unavailable(name, failure);
        }
    }

    Line join(String name, Waiter waiter) {
        while (true) {
            Line line = lines.get(name);
            if (line == null) {
                line = lines.computeIfAbsent(name, key -> new Line(this, key));
            }
            if (line.join(waiter)) {
                return line;
            }
        }
    }

    void remove(Line line) {
        lines.remove(line.name(), line);
    }

    Claim claim(String name, Waiter waiter) {
        LockOptions options = waiter.terms.options();
        return new Claim(
                name,
                new ClaimId(process, claims.incrementAndGet()),
                waiter.mode,
                1,
                1,
                options.leaseTime(),
                settings.handOffs(),
                new Owner(Machine.HOST, Machine.PID, settings.application(), options.label()));
    }

    void launch(Line line, Bid bid) {
        CompletableFuture<Optional<Grant>> answer = callStore(target -> target.acquire(bid.claim));
        Futures.whenDone(
                answer, (grant, failure) -> line.answered(bid, grant == null ? null : grant.orElse(null), failure));
    }

    /** Sends a bid again, unchanged, after an unknown outcome. */
    void relaunch(Line line, Bid bid) {
        schedule(
                () -> {
                    if (line.wants(bid)) {
                        launch(line, bid);
                    }
                },
                backoff(bid.failures, LONGEST_BACKOFF));
    }

    /** Doubling from 20 ms up to {@code longest}, of which a random half is taken off: many clients, one outage. */
    long backoff(int failures, long longest) {
        long full = Math.min(longest, FIRST_BACKOFF << Math.min(failures - 1, 10));
        return (long) (full * (0.5 + 0.5 * environment.random().getAsDouble()));
    }

    /** A third of the lease after {@code from}, a little earlier at random. */
    long renewalAfter(Moment from, long lease) {
        return from.nanos()
                + (long) (lease / 3.0 * (0.9 + 0.1 * environment.random().getAsDouble()));
    }

    /** How long before the end of a wait the store is asked who holds the name. */
    long lookBefore(long patience) {
        return Math.min(patience / 4, LOOK_BEFORE);
    }

    /** The holder has to know. */
    void lost(Hold hold) {
        events.lost(hold);
        HeldLease lease = hold.get();
        if (lease != null) {
            lease.fireLost();
        }
        BodyRun body = hold.body;
        if (body != null) {
            body.interrupt();
        }
        holdEnded();
    }

    void forgotten(Hold hold) {
        events.forgotten(hold);
        holdEnded();
    }

    void holdEnded() {
        if (isClosing()) {
            signalIdle();
        }
    }

    void signalIdle() {
        shutdown.signal();
    }

    /** Leases that were lost first and dropped later are in no line any more, but may still be in the store. */
    void releaseDropped() {
        for (Reference<? extends HeldLease> each = dropped.poll(); each != null; each = dropped.poll()) {
            if (each instanceof Hold hold && hold.recorded() == LeaseState.LOST) {
                releaser.letGo(hold.tenure.claim);
            }
        }
    }

    // What users see when it does not work out.

    RuntimeException closed(String name) {
        return new HoldfastException(
                name, storeName, "This Holdfast is closed. Keep one open for as long as its locks are used.", null);
    }

    RuntimeException unavailable(String name, Throwable cause) {
        return new StoreUnavailableException(
                name,
                storeName,
                "The store did not answer (" + cause + "). Nothing is known about the lock; try again later.",
                cause);
    }

    /** The end of a wait. */
    RuntimeException outOfTime(Line line, Waiter waiter, @Nullable Throwable outage) {
        events.timedOut(line.name(), waiter);
        Duration waited = Duration.ofNanos(nanos() - waiter.since);
        if (outage != null || waiter.mode == Claim.Mode.TRY) {
            return new StoreUnavailableException(
                    line.name(),
                    storeName,
                    "The store did not answer for as long as there was to wait (" + waited + ")"
                            + (outage == null ? "." : ": " + outage),
                    outage);
        }
        return new LockTimeoutException(
                line.name(),
                storeName,
                "Not acquired in " + waited + ": " + line.describeHolder(waiter.caller, nanos()) + ".",
                null);
    }

    /** One attempt was all there was, and the name is taken. */
    RuntimeException busy(String name, Thread asker) {
        Line line = lines.get(name);
        String holder = line == null ? "the holder is not known" : line.describeHolder(asker, nanos());
        return new LockTimeoutException(name, storeName, "Taken, and there was no time to wait: " + holder + ".", null);
    }
}
