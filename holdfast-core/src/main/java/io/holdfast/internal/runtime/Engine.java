package io.holdfast.internal.runtime;

import io.holdfast.LockOptions;
import io.holdfast.internal.memory.DirectStore;
import io.holdfast.internal.queue.CallSites;
import io.holdfast.internal.queue.LeaseDeadline;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockExceptions;
import io.holdfast.internal.queue.QueueContext;
import io.holdfast.internal.queue.QueueEvents;
import io.holdfast.internal.queue.RenewalPolicy;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.queue.Units;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.Backoff;
import io.holdfast.spi.support.RateLimitedLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client side of one store in one process: composes the local queues with what sends, renews, releases and reports for them, and
 * is what the lock objects call.
 */
public final class Engine implements QueueContext {

    static final System.Logger LOG = System.getLogger("io.holdfast");

    private static final long LOOK_UP_HOLDER_BEFORE = TimeUnit.MILLISECONDS.toNanos(250);

    private final Environment environment;
    private final Ticker ticker;
    private final Settings settings;
    private final long handOffNanos;
    private final long warnAfterNanos;
    private final Backoff backoff;
    private final CallSites callSites = new CallSites();
    private final Callbacks callbacks;
    private final StoreClient store;
    private final LockExceptions exceptions;
    private final Events events;
    private final LocalQueues queues = new LocalQueues(this);
    private final RenewalPolicy renewalPolicy;
    private final RenewalScheduler renewals;
    private final ReleaseRetries releases;
    private final ClaimSender claims;
    private final StoreActions actions;
    private final Shutdown shutdown;

    /** An engine on {@code store}, which the caller closes. */
    public Engine(LockStore store, Environment environment, Settings settings) {
        this(store, environment, environment.executor(), settings);
    }

    /** As above, with {@code listenerThreads} for listeners. */
    Engine(LockStore store, Environment environment, Executor listenerThreads, Settings settings) {
        this.environment = environment;
        this.ticker = environment.ticker();
        this.settings = settings;
        // One lease per grant means that nothing is handed over or shared, however short the time is.
        this.handOffNanos = settings.handOffLeases() == 1
                ? 0
                : Math.min(RequestTimes.nanos(settings.handOffTime()), LeaseDeadline.LONGEST);
        this.warnAfterNanos = Math.min(RequestTimes.nanos(settings.warnAfter()), LeaseDeadline.LONGEST);
        this.backoff = new Backoff(environment.random());
        this.callbacks = new Callbacks(environment.executor(), environment.scheduler(), ticker);
        StoreHealth health = new StoreHealth(this::storeName, ticker, this::schedule, this::isOutageKnown);
        this.store = new StoreClient(store, health);
        this.exceptions = new LockExceptions(this.store::name);
        this.events =
                new Events(new LockLog(this.store, this::now, ticker), ticker, task -> listen(listenerThreads, task));
        settings.listeners().forEach(events::add);
        this.renewalPolicy = new RenewalPolicy(this, backoff);
        this.renewals = new RenewalScheduler(this, this.store, queues, renewalPolicy);
        this.shutdown = new Shutdown(this, settings.shutdownGrace());
        this.releases = new ReleaseRetries(this, this.store, backoff, events, shutdown);
        this.claims = new ClaimSender(this.store, releases, this::schedule, backoff, settings.handOffLeases());
        this.actions = new StoreActions(
                this.store, claims, releases, renewals, new GrantConfirmations(this, renewals), shutdown);
    }

    /** The application, shown to people who inspect locks. */
    public String application() {
        return settings.application();
    }

    public Capabilities capabilities() {
        return store.capabilities();
    }

    /** Why the store does not support such leases; null if it does, or if that is not known yet. */
    public @Nullable String unsupported(Units units, LockOptions options) {
        return store.unsupported(units, options);
    }

    public String storeName() {
        return store.name();
    }

    /** Does the store serve waiting processes in order? */
    public boolean isQueued() {
        return capabilities().queue() == Capabilities.Queue.FIFO;
    }

    // Acquiring and inspecting.

    public LocalQueue join(Waiter waiter) {
        return queues.join(waiter);
    }

    public @Nullable LocalQueue queue(String name) {
        return queues.get(name);
    }

    /** How long before the end of a wait the holder is looked up in the store. */
    public long lookUpHolderBefore(long waitNanos) {
        return Math.min(waitNanos / 4, LOOK_UP_HOLDER_BEFORE);
    }

    /** The exception for a name that is held when there is no time to wait. */
    public RuntimeException busy(String name, Thread caller) {
        LocalQueue queue = queues.get(name);
        return exceptions.busy(name, queue == null ? null : queue.holder(), caller, nanos());
    }

    public StackTraceElement @Nullable [] captureCallSite(long now) {
        return callSites.capture(now);
    }

    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return store.inspect(filter)
                .thenApply(infos -> infos.stream().map(queues::withTokensInUse).toList());
    }

    /** Waits for the store's answer to a request that is no acquisition. */
    public <T> T await(String name, CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (RuntimeException failure) {
            throw exceptions.unavailable(name, failure);
        }
    }

    public boolean forceRelease(String name, long token) {
        LocalQueue queue = queues.get(name);
        LocalQueue.TokenOwner whose = queue == null ? LocalQueue.TokenOwner.NOT_HERE : queue.revoking(token);
        if (whose == LocalQueue.TokenOwner.ANOTHER_LEASE) {
            return false;
        }
        boolean done = await(name, store.call(target -> target.revoke(name, token)));
        if (done) {
            events.forceReleased(name, token);
            if (queue != null && whose == LocalQueue.TokenOwner.THAT_LEASE) {
                queue.revoked(token);
            }
        }
        return done;
    }

    /** What this process holds and waits for. */
    public LocalLocks localLocks() {
        return queues.report();
    }

    public void addListener(HoldfastListener listener) {
        events.add(listener);
    }

    public void removeListener(HoldfastListener listener) {
        events.remove(listener);
    }

    // Time, timers and user code.

    @Override
    public long nanos() {
        return ticker.nanos();
    }

    /** A store that measures on the same monotonic clock is suspended with it: the wall clock has nothing to add. */
    @Override
    public Moment now() {
        return store.direct() != null ? new Moment(ticker.nanos(), 0) : ticker.now();
    }

    @Override
    public Moment now(long nanos) {
        return store.direct() != null ? new Moment(nanos, 0) : ticker.now();
    }

    public Scheduler.Task schedule(Runnable task, long delayNanos) {
        return environment.scheduler().schedule(task, Math.max(0, delayNanos));
    }

    /** Runs user code; an exception that it throws is logged. */
    public void execute(Runnable userCode) {
        callbacks.run(userCode);
    }

    public long backoff(int failures, long longest) {
        return backoff.delay(failures, longest);
    }

    public RateLimitedLog rateLimitedLog() {
        return new RateLimitedLog(LOG, ticker, Duration.ofSeconds(1));
    }

    /** Runs listeners. Threads that refuse, as after {@code close()}, are replaced by those of other callbacks. */
    private void listen(Executor listenerThreads, Runnable listeners) {
        try {
            listenerThreads.execute(listeners);
        } catch (RejectedExecutionException closed) {
            callbacks.run(listeners);
        }
    }

    // The end.

    /**
     * Refuses new acquisitions, ends waits, waits for critical sections to end, and marks the leases of the others as lost.
     *
     * @return whether some have not ended: then {@code whenLateOnesEnded} runs, elsewhere, when they have ended or when their time
     *     is over
     */
    public boolean close(Runnable whenLateOnesEnded) {
        return shutdown.run(whenLateOnesEnded);
    }

    /** {@code participant} is closed when the shutdown begins. */
    public void closeBefore(AutoCloseable participant) {
        shutdown.add(participant);
    }

    /** {@code participant} was closed. */
    public void closed(AutoCloseable participant) {
        shutdown.remove(participant);
    }

    @Override
    public boolean isClosing() {
        return shutdown.hasBegun();
    }

    /** Has it neither waiters nor leases? */
    public boolean isIdle() {
        return queues.all().isEmpty();
    }

    /** While the store is being closed, or is not connected yet, failures of requests are no news. */
    private boolean isOutageKnown() {
        return shutdown.isOver() || !store.isConnected();
    }

    LocalQueues queues() {
        return queues;
    }

    RenewalScheduler renewals() {
        return renewals;
    }

    ReleaseRetries releases() {
        return releases;
    }

    // What the local queues call.

    @Override
    public long handOffNanos() {
        return handOffNanos;
    }

    @Override
    public long warnAfterNanos() {
        return warnAfterNanos;
    }

    @Override
    public Claim newClaim(Waiter waiter) {
        return claims.newClaim(waiter);
    }

    @Override
    public @Nullable DirectStore directStore() {
        return store.direct();
    }

    @Override
    public RenewalPolicy renewalPolicy() {
        return renewalPolicy;
    }

    @Override
    public QueueEvents events() {
        return events;
    }

    @Override
    public LockExceptions exceptions() {
        return exceptions;
    }

    @Override
    public StoreActions actions() {
        return actions;
    }

    @Override
    public void leaseLost(long life) {
        shutdown.leaseLost(life);
    }

    @Override
    public void releaseAnnounced() {
        releases.announced();
    }

    @Override
    public void releaseAwaitsRenewal() {
        releases.awaitsRenewal();
    }

    @Override
    public void remove(LocalQueue queue) {
        queues.remove(queue);
        shutdown.leaseEnded();
    }
}
