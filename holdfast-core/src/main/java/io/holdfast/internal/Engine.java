package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.LeaderElection;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.Owner;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.SystemRandom;
import io.holdfast.spi.Ticker;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process's side of a store: its lines, and what they share. */
public final class Engine {

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_BACKOFF = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_PERMITS = 1_000_000;
    private static final long LOOK_BEFORE = TimeUnit.MILLISECONDS.toNanos(250);

    private final LockStore store;
    private final String storeName;
    private final Capabilities.Queue queue;
    private final Capabilities.Sharing sharing;
    private final Capabilities.Expiry expiry;
    private final @Nullable DirectStore direct;
    private final Environment environment;
    private final Ticker ticker;
    private final Settings settings;
    private final long slice;
    private final long warnAfter;
    private final SystemRandom identities = new SystemRandom();
    private final long firstIdentity = identities.nextLong();
    private final AtomicLong claims = new AtomicLong();
    private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();
    private final Set<Election> elections = ConcurrentHashMap.newKeySet();
    private final Sites sites = new Sites();
    private final ThreadHolds threadHolds = new ThreadHolds();
    private final Callbacks callbacks;
    private final StoreHealth health;
    private final Failures failures = new Failures(this);
    private final Events events;
    private final Keeper keeper;
    private final Confirmations confirmations;
    private final Releaser releaser;
    private final Shutdown shutdown;

    /** An engine on {@code store}, which stays the caller's to close. */
    public Engine(LockStore store, Environment environment, Settings settings) {
        this(store, environment, environment.executor(), settings);
    }

    /** As above, with {@code listenerThreads} for what listeners do. */
    Engine(LockStore store, Environment environment, Executor listenerThreads, Settings settings) {
        this.store = store;
        Capabilities capabilities = store.capabilities();
        this.storeName = capabilities.name();
        this.queue = capabilities.queue();
        this.sharing = capabilities.sharing();
        this.expiry = capabilities.expiry();
        this.direct = store instanceof DirectStore inProcess ? inProcess : null;
        this.environment = environment;
        this.ticker = environment.ticker();
        this.settings = settings;
        // One lease a turn means that nothing is passed on or shared, however short a turn is.
        this.slice = settings.handOffs() == 1 ? 0 : Math.min(Terms.nanos(settings.slice()), Term.LONGEST);
        this.warnAfter = Math.min(Terms.nanos(settings.warnAfter()), Term.LONGEST);
        this.callbacks = new Callbacks(environment.executor(), environment.scheduler(), ticker);
        this.health = new StoreHealth(this);
        this.events =
                new Events(settings.listeners(), task -> listen(listenerThreads, task), this, environment.ticker());
        this.keeper = new Keeper(this, environment.ticker());
        this.confirmations = new Confirmations(this);
        this.releaser = new Releaser(this);
        this.shutdown = new Shutdown(this, settings.shutdownGrace());
    }

    /** A lock of that name. */
    public DistributedLock lock(String name, LockOptions options) {
        return new NamedLock(this, wish(name, Share.EXCLUSIVE, options));
    }

    /** A read/write lock of that name. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        return new NamedReadWriteLock(
                new NamedLock(this, wish(name, Share.READ, options)),
                new NamedLock(this, wish(name, Share.WRITE, options)));
    }

    /** A semaphore of that name and size. */
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException(
                    "A semaphore has between 1 and " + MOST_PERMITS + " permits: '" + name + "' with " + permits);
        }
        return new NamedSemaphore(this, wish(name, new Share(1, permits), options));
    }

    /** Several locks, taken together. */
    public LockSet lockAll(Collection<String> names, LockOptions options) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("lockAll takes at least one name.");
        }
        List<NamedLock> locks = new TreeSet<>(names)
                .stream()
                        .map(name -> new NamedLock(this, wish(name, Share.EXCLUSIVE, options)))
                        .toList();
        return new NamedLockSet(this, locks, Terms.of(options));
    }

    /** A candidate for a name, not standing yet. */
    public LeaderElection election(String name, LockOptions options) {
        return new Election(this, new NamedLock(this, wish(name, Share.EXCLUSIVE, options)));
    }

    private Wish wish(String name, Share share, LockOptions options) {
        if (isClosing()) {
            throw failures.closed(name);
        }
        if (!sharing.allows(share.capacity())) {
            String has = sharing == Capabilities.Sharing.READ_WRITE
                    ? "locks and read/write locks only"
                    : "exclusive locks only";
            throw new IllegalArgumentException("The store " + storeName + " has " + has + ", so '" + name
                    + "' cannot be " + Claim.describe(share.capacity())
                    + " there. Use lock(), or a store whose capabilities say UNITS.");
        }
        if (expiry == Capabilities.Expiry.SESSION && !options.holdAtLeast().isZero()) {
            throw new IllegalArgumentException(
                    "The store " + storeName + " ends a lease with the session of its process,"
                            + " so it cannot keep '" + name + "' locked for holdAtLeast (" + options.holdAtLeast()
                            + ") if the process ends. Use a store with leases, such as a lease table, or no holdAtLeast.");
        }
        Owner owner = new Owner(Machine.HOST, Machine.PID, settings.application(), options.label());
        return new Wish(Names.check(name), share, Terms.of(options), owner);
    }

    /** What is held and waited for, by any process. */
    public List<LockInfo> inspectAll(String prefix, int limit) {
        return await(prefix, inspect(NameFilter.startingWith(prefix, limit))).stream()
                .map(this::refined)
                .toList();
    }

    /** The store knows which block of tokens this process has; only the process knows which of them is in use. */
    LockInfo refined(LockInfo info) {
        Line line = lines.get(info.name());
        if (line == null) {
            return info;
        }
        List<LockInfo.Holder> holders =
                info.holders().stream().map(holder -> refined(holder, line)).toList();
        return new LockInfo(info.name(), info.capacity(), holders, info.waiters(), info.queue());
    }

    private static LockInfo.Holder refined(LockInfo.Holder holder, Line line) {
        TokenClock.Block ours = line.tokensInUse(holder.firstToken());
        return ours == null
                ? holder
                : new LockInfo.Holder(
                        holder.owner(), holder.units(), ours.first(), ours.size(), holder.age(), holder.remaining());
    }

    /**
     * Refuses new claims, waits for critical sections to end, and gives up on those that do not.
     *
     * @return whether some have not ended: then {@code whenLateOnesEnded} is run, elsewhere, when they have or when they have had
     *     their time
     */
    public boolean close(Runnable whenLateOnesEnded) {
        return shutdown.run(whenLateOnesEnded);
    }

    // What the lines use.

    Keeper keeper() {
        return keeper;
    }

    Confirmations confirmations() {
        return confirmations;
    }

    Releaser releaser() {
        return releaser;
    }

    Failures failures() {
        return failures;
    }

    StoreHealth health() {
        return health;
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

    /** Does the store serve waiting processes in order? */
    boolean isQueued() {
        return queue == Capabilities.Queue.FIFO;
    }

    RateLimitedLog rateLimitedLog() {
        return new RateLimitedLog(ticker);
    }

    /** The candidates that stand. */
    Set<Election> elections() {
        return elections;
    }

    Collection<Line> lines() {
        return lines.values();
    }

    @Nullable
    Line line(String name) {
        return lines.get(name);
    }

    /** A store that measures on the same monotonic clock is suspended with it: the wall clock has nothing to add. */
    Moment now() {
        return direct != null ? new Moment(ticker.nanos(), 0) : ticker.now();
    }

    /** As {@link #now()}, for somebody who came at {@code nanos}, just now: saves a look at the clock where one is enough. */
    Moment now(long nanos) {
        return direct != null ? new Moment(nanos, 0) : ticker.now();
    }

    /** The store's short cut, if it has one. */
    @Nullable
    DirectStore direct() {
        return direct;
    }

    long nanos() {
        return ticker.nanos();
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

    /** Is the store about to be closed? */
    boolean isClosed() {
        return shutdown.isOver();
    }

    StackTraceElement @Nullable [] captureSite(long now) {
        return sites.capture(now);
    }

    Scheduler.Task schedule(Runnable task, long delayNanos) {
        return environment.scheduler().schedule(task, Math.max(0, delayNanos));
    }

    /** Runs user code; whatever it throws stays there. */
    void execute(Runnable userCode) {
        callbacks.run(userCode);
    }

    /** Runs listeners. Threads that refuse, as after {@code close()}, are replaced by those of other callbacks. */
    private void listen(Executor listenerThreads, Runnable listeners) {
        try {
            listenerThreads.execute(listeners);
        } catch (RejectedExecutionException closed) {
            callbacks.run(listeners);
        }
    }

    /** A store that throws, or returns nothing, has said nothing, like one whose future fails. */
    <T> CompletableFuture<T> callStore(Function<LockStore, @Nullable CompletableFuture<T>> call) {
        try {
            CompletableFuture<T> answer = call.apply(store);
            return answer != null
                    ? answer
                    : CompletableFuture.failedFuture(new IllegalStateException(storeName + " returned no future."));
        } catch (Throwable thrown) {
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
            throw failures.unavailable(name, failure);
        }
    }

    Line join(Waiter waiter) {
        String name = waiter.wish.name();
        while (true) {
            Line line = lines.get(name);
            if (line == null) {
                Line fresh = new Line(this, name, waiter.wish.share().capacity());
                Line raced = lines.putIfAbsent(name, fresh);
                line = raced == null ? fresh : raced;
            }
            if (line.join(waiter)) {
                return line;
            }
        }
    }

    void remove(Line line) {
        lines.remove(line.name(), line);
        holdEnded();
    }

    /** Readers who share a claim share its token, so they need no block. */
    Claim claim(Waiter waiter) {
        Wish wish = waiter.wish;
        Share share = wish.share();
        return new Claim(
                wish.name(),
                claimId(),
                waiter.mode,
                share.units(),
                share.capacity(),
                wish.terms().options().leaseTime(),
                share.isRead() ? 1 : settings.handOffs(),
                wish.owner());
    }

    private ClaimId claimId() {
        // A store in this JVM is copied with its process, so its claims meet no others.
        long random = direct != null ? firstIdentity : identities.nextLong();
        return new ClaimId(random, claims.incrementAndGet());
    }

    /** Sends a bid. An answer that is there at once may ask for the next: a loop, because a stack would not be deep enough. */
    void launch(Line line, Bid first) {
        Bid bid = first;
        while (bid != null) {
            Claim claim = bid.claim;
            bid.underWay = true;
            CompletableFuture<Optional<Grant>> answer = callStore(target -> target.acquire(claim));
            Bid next = null;
            if (answer.isDone()) {
                next = answered(line, bid, answer);
            } else {
                Bid sent = bid;
                Futures.whenDone(answer, (grant, failure) -> {
                    Bid following = answered(line, sent, answer);
                    if (following != null) {
                        launch(line, following);
                    }
                });
            }
            if (bid.withdrawn) {
                // Given up while it was being sent: the release may have gone first.
                releaser.withdraw(claim);
            }
            bid = next;
        }
    }

    private @Nullable Bid answered(Line line, Bid bid, CompletableFuture<Optional<Grant>> done) {
        Throwable failure = Futures.failureOf(done);
        if (failure == null) {
            health.answered();
        } else if (!bid.withdrawn) {
            // A claim that was released while it waited fails because of that.
            health.failed(failure);
        }
        // A careless store may complete with null.
        Optional<Grant> grant =
                failure == null ? Optional.ofNullable(done.join()).flatMap(answer -> answer) : Optional.empty();
        return line.answered(bid, grant.orElse(null), failure);
    }

    /** Sends a bid again, unchanged, after an unknown outcome. */
    void relaunch(Line line, Bid bid) {
        schedule(
                () -> {
                    if (!bid.withdrawn) {
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

    /** Up to a tenth of {@code nanos} less, at random: so renewals of many processes do not stay in step. */
    long jittered(long nanos) {
        return (long) (nanos * (0.9 + 0.1 * environment.random().getAsDouble()));
    }

    /** How long before the end of a wait the store is asked who holds the name. */
    long lookBefore(long patience) {
        return Math.min(patience / 4, LOOK_BEFORE);
    }

    /** The holder has to know. */
    void lost(Hold hold) {
        BodyRun body = hold.body;
        if (body != null) {
            body.interrupt();
        }
        HeldLease lease = hold.get();
        if (lease != null) {
            lease.fireLost();
        }
        events.lost(hold);
        holdEnded();
    }

    void holdEnded() {
        if (isClosing()) {
            signalIdle();
        }
    }

    /** A lease was lost, and its critical section may go on: the store may keep its claim for {@code life}. */
    void late(long life) {
        shutdown.late(life);
    }

    /** The critical section of a lost lease has ended, and its release was sent if it has one. */
    void lateEnd() {
        shutdown.lateEnd();
    }

    void signalIdle() {
        shutdown.signal();
    }
}
