package io.holdfast;

import io.holdfast.internal.handle.LockFactory;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.internal.runtime.HoldfastRuntime;
import io.holdfast.internal.runtime.HoldfastRuntime.StoreUse;
import io.holdfast.internal.runtime.Settings;
import io.holdfast.internal.runtime.StoreUrls;
import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Distributed locks on one store: locks, read/write locks, semaphores, lock sets and leader election, by name. Keep one open for as
 * long as its locks are used. Thread-safe.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.connect("memory:")) {
 *     int left = holdfast.lock("apples").call(lease -> stock.decrease(3));
 * }
 * }</pre>
 */
public final class Holdfast implements AutoCloseable {

    private final HoldfastRuntime runtime;
    private final LockFactory locks;
    private final LockOptions defaults;

    private Holdfast(HoldfastRuntime runtime, LockOptions defaults) {
        this.runtime = runtime;
        this.locks = new LockFactory(runtime.engine());
        this.defaults = defaults;
    }

    /**
     * Opens the store behind a URL, with default settings: {@code memory:} (private to this instance),
     * {@code memory:NAME} (shared in this JVM), and the schemes of the store artifacts that are on the class path.
     *
     * @throws IllegalArgumentException if no store knows the scheme; the message says which artifact would
     */
    public static Holdfast connect(String url) {
        return builder(url).build();
    }

    /** Settings for the store behind a URL; opened by {@link Builder#build()}, closed by {@link #close()}. */
    public static Builder builder(String url) {
        Objects.requireNonNull(url, "url");
        return new Builder(environment -> StoreUrls.open(url, environment), StoreUse.OPENED_WHEN_AVAILABLE);
    }

    /** Settings for a store that the caller has opened, and closes after the Holdfast. */
    public static Builder builder(LockStore store) {
        Objects.requireNonNull(store, "store");
        return new Builder(environment -> store, StoreUse.GIVEN);
    }

    /** Settings for a store that a factory opens, such as the builder of a store; closed by {@link #close()}. */
    public static Builder builder(StoreFactory store) {
        Objects.requireNonNull(store, "store");
        return new Builder(store, StoreUse.OPENED_WHEN_AVAILABLE);
    }

    /**
     * The lock of that name, with the default options. Nothing is sent to the store.
     *
     * @throws IllegalArgumentException if the name is blank, has control characters, or has more than 512 bytes in UTF-8
     */
    public DistributedLock lock(String name) {
        return lock(name, defaults);
    }

    /** The lock of that name, with other options. */
    public DistributedLock lock(String name, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return locks.lock(name, options);
    }

    /**
     * The read/write lock of that name, with the default options. Nothing is sent to the store.
     *
     * @throws IllegalArgumentException if the name is refused as by {@link #lock(String)}
     * @throws UnsupportedCapabilityException if the store supports exclusive locks only
     */
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, defaults);
    }

    /** The read/write lock of that name, with other options. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return locks.readWriteLock(name, options);
    }

    /**
     * The semaphore of that name, with the default options. Nothing is sent to the store.
     *
     * @param permits how many there are, 1 to 1,000,000; the same number everywhere, for it is part of the identity
     * @throws IllegalArgumentException if the number or the name is refused
     * @throws UnsupportedCapabilityException if the store does not support semaphores
     */
    public DistributedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, defaults);
    }

    /** The semaphore of that name, with other options. */
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return locks.semaphore(name, permits, options);
    }

    /**
     * Several exclusive locks that are acquired together, with the default options. Nothing is sent to the store.
     *
     * @throws IllegalArgumentException if there is no name, or one of them is refused as by {@link #lock(String)}
     */
    public LockSet lockSet(String... names) {
        return lockSet(List.of(names), defaults);
    }

    /** Several exclusive locks that are acquired together, with other options. */
    public LockSet lockSet(Collection<String> names, LockOptions options) {
        Objects.requireNonNull(names, "names");
        Objects.requireNonNull(options, "options");
        return locks.lockSet(names, options);
    }

    /** A leader election under that name, with the default options; {@link LeaderElection#start} begins to campaign. */
    public LeaderElection election(String name) {
        return election(name, defaults);
    }

    /** A leader election with other options. {@code leaseTime} is how long a leader that died blocks the next election. */
    public LeaderElection election(String name, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return locks.election(name, options);
    }

    /** At most {@code limit} names that start with {@code prefix} and are held or waited for, by any process. One store round trip. */
    public List<LockInfo> inspect(String prefix, int limit) {
        Objects.requireNonNull(prefix, "prefix");
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        Engine engine = runtime.engine();
        return engine.await(prefix, engine.inspect(NameFilter.startingWith(prefix, limit)));
    }

    /**
     * Releases the lease with this token by force, as {@link DistributedLock#forceRelease} does, whatever kind of lock the name is: for
     * operators, who get names and tokens from {@link #inspect}.
     *
     * @return whether there was such a holder
     */
    public boolean forceRelease(String name, long token) {
        return runtime.engine().forceRelease(Objects.requireNonNull(name, "name"), token);
    }

    /** What this process holds and waits for through this {@code Holdfast}: for gauges and health checks. No store round trip. */
    public LocalLocks localLocks() {
        return runtime.engine().localLocks();
    }

    /** Sends all events from now on to {@code listener}, too: also the ends of waits and leases that began before. */
    public void addListener(HoldfastListener listener) {
        runtime.engine().addListener(Objects.requireNonNull(listener, "listener"));
    }

    /** Sends no further events to {@code listener}. */
    public void removeListener(HoldfastListener listener) {
        runtime.engine().removeListener(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Refuses new acquisitions, ends all waits with {@link HoldfastClosedException}, and waits up to {@link Builder#shutdownGrace}
     * for leases to be released. The others are marked {@link LeaseState#LOST}. They are not released, because their critical sections
     * may still be running: each is released when its body ends, or expires in the store. Connections and threads stay open for these
     * late releases, for a minute at most.
     */
    @Override
    public void close() {
        runtime.close(locks.isInsideBody());
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {

        private final StoreFactory store;
        private StoreUse use;
        private LockOptions defaults = LockOptions.defaults();
        private String label = "";
        private @Nullable Executor executor;
        private @Nullable Environment environment;
        private final List<HoldfastListener> listeners = new ArrayList<>();
        private int handOffLeases = 64;
        private Duration handOffTime = Duration.ofMillis(50);
        private Duration warnAfter = Duration.ofMinutes(1);
        private Duration shutdownGrace = Duration.ofSeconds(5);

        private Builder(StoreFactory store, StoreUse use) {
            this.store = store;
            this.use = use;
        }

        /** The options of locks that are made without any. */
        public Builder defaults(LockOptions options) {
            this.defaults = Objects.requireNonNull(options, "options");
            return this;
        }

        /** The application, as shown to people who inspect locks. */
        public Builder label(String label) {
            this.label = LockOptions.builder().label(label).build().label();
            return this;
        }

        /**
         * Where {@code onLost} callbacks, election listeners and the completions of futures run; default: threads of its own, more of
         * them while callbacks block. A callback that blocks keeps its thread: give an executor as many threads as may block at
         * once. It must run what it accepts until the {@code Holdfast} is closed: a callback that it discards, as by
         * {@code shutdownNow()}, is lost, and a future that depends on it never completes. A {@link HoldfastListener} does not run here,
         * but on a thread of its own.
         */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /** Sends all events to {@code listener}. May be called several times; see also {@link Holdfast#addListener}. */
        public Builder listener(HoldfastListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * How long threads of this process may hand a lock over among themselves, without a store round trip, before other processes
         * get their turn: at most {@code maxLeases} leases (1 to 64; default 64) and for at most {@code maxTime} (default 50 ms). One
         * lease means strict order across processes on a store with a wait queue.
         */
        public Builder localHandOff(int maxLeases, Duration maxTime) {
            if (maxLeases < 1 || maxLeases > 64) {
                throw new IllegalArgumentException("localHandOff maxLeases must be between 1 and 64: " + maxLeases);
            }
            this.handOffLeases = maxLeases;
            this.handOffTime = notNegative("localHandOff maxTime", maxTime);
            return this;
        }

        /** A lease that is held for longer than this is logged, with the stack frames that acquired it; default one minute. */
        public Builder warnAfter(Duration warnAfter) {
            this.warnAfter = notNegative("warnAfter", warnAfter);
            return this;
        }

        /** How long {@link Holdfast#close()} waits for leases to be released; default 5 s. */
        public Builder shutdownGrace(Duration shutdownGrace) {
            this.shutdownGrace = notNegative("shutdownGrace", shutdownGrace);
            return this;
        }

        /**
         * Time, timers and threads from outside; for tests on virtual time. A given store must use the same. Listeners run on its
         * executor, too.
         */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /**
         * Makes {@link #build()} throw {@link StoreUnavailableException} if the store is unavailable. By default it does not: the
         * store is connected in the background, and until then acquisitions fail with that exception.
         */
        public Builder failFast() {
            if (use == StoreUse.OPENED_WHEN_AVAILABLE) {
                use = StoreUse.OPENED_NOW;
            }
            return this;
        }

        /**
         * Opens the store.
         *
         * @throws IllegalArgumentException if the configuration is wrong, such as a malformed URL
         */
        public Holdfast build() {
            Settings settings =
                    new Settings(label, handOffLeases, handOffTime, warnAfter, shutdownGrace, List.copyOf(listeners));
            return new Holdfast(new HoldfastRuntime(store, use, environment, executor, settings), defaults);
        }

        private static Duration notNegative(String setting, Duration value) {
            Objects.requireNonNull(value, setting);
            if (value.isNegative()) {
                throw new IllegalArgumentException(setting + " must not be negative: " + value);
            }
            return value;
        }
    }
}
