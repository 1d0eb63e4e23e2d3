package io.holdfast;

import io.holdfast.internal.Connection;
import io.holdfast.internal.Settings;
import io.holdfast.internal.StoreUrls;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The front door: locks by name, on one store. Keep one open for as long as its locks are used. Thread-safe.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.connect("memory:")) {
 *     int left = holdfast.lock("apples").call(lease -> stock.decrease(3));
 * }
 * }</pre>
 */
public final class Holdfast implements AutoCloseable {

    private final Connection connection;
    private final LockOptions defaults;

    private Holdfast(Connection connection, LockOptions defaults) {
        this.connection = connection;
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
        return new Builder(environment -> StoreUrls.open(url, environment), true);
    }

    /** Settings for a store that the caller has opened, and closes after the Holdfast. */
    public static Builder builder(LockStore store) {
        Objects.requireNonNull(store, "store");
        return new Builder(environment -> store, false);
    }

    /** Settings for a store that a factory opens, such as the builder of a store; closed by {@link #close()}. */
    public static Builder builder(StoreFactory store) {
        Objects.requireNonNull(store, "store");
        return new Builder(store, true);
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
        return connection.engine().lock(name, options);
    }

    /**
     * The read/write lock of that name, with the default options. Nothing is sent to the store.
     *
     * @throws IllegalArgumentException if the name is refused as by {@link #lock(String)}, or the store has exclusive locks
     *     only
     */
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, defaults);
    }

    /** The read/write lock of that name, with other options. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return connection.engine().readWriteLock(name, options);
    }

    /**
     * The semaphore of that name, with the default options. Nothing is sent to the store.
     *
     * @param permits how many there are, 1 to 1,000,000; the same number everywhere, for it is part of the identity
     * @throws IllegalArgumentException if the number or the name is refused, or the store has exclusive locks only
     */
    public DistributedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, defaults);
    }

    /** The semaphore of that name, with other options. */
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return connection.engine().semaphore(name, permits, options);
    }

    /**
     * Several exclusive locks that are taken together, with the default options. Nothing is sent to the store.
     *
     * @throws IllegalArgumentException if there is no name, or one of them is refused as by {@link #lock(String)}
     */
    public LockSet lockAll(String... names) {
        return lockAll(List.of(names), defaults);
    }

    /** Several exclusive locks that are taken together, with other options. */
    public LockSet lockAll(Collection<String> names, LockOptions options) {
        Objects.requireNonNull(names, "names");
        Objects.requireNonNull(options, "options");
        return connection.engine().lockAll(names, options);
    }

    /** A candidate for being the leader under that name, with the default options; call {@code stand} to take part. */
    public LeaderElection election(String name) {
        return election(name, defaults);
    }

    /** A candidate with other options. {@code leaseTime} is how long a dead leader blocks the next election. */
    public LeaderElection election(String name, LockOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return connection.engine().election(name, options);
    }

    /** At most {@code limit} names that start with {@code prefix} and are held or waited for, by any process. */
    public List<LockInfo> inspect(String prefix, int limit) {
        Objects.requireNonNull(prefix, "prefix");
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        return connection.engine().inspectAll(prefix, limit);
    }

    /**
     * Refuses new acquisitions, sends waiters away, and waits up to {@link Builder#shutdownGrace} for leases to be given
     * back. Those that are not are marked {@link LeaseState#LOST}. They are not released, because their bodies may still be
     * running: each is released when its body ends, or expires in the store. Connections and threads stay open for these late
     * releases, for a minute at most.
     */
    @Override
    public void close() {
        connection.close();
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {

        private final StoreFactory store;
        private final boolean owned;
        private LockOptions defaults = LockOptions.defaults();
        private String label = "";
        private @Nullable Executor executor;
        private @Nullable Environment environment;
        private final List<HoldfastListener> listeners = new ArrayList<>();
        private int handOffs = 64;
        private Duration slice = Duration.ofMillis(50);
        private Duration warnAfter = Duration.ofMinutes(1);
        private Duration shutdownGrace = Duration.ofSeconds(5);

        private Builder(StoreFactory store, boolean owned) {
            this.store = store;
            this.owned = owned;
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

        /** Receives all events. May be called several times. */
        public Builder listener(HoldfastListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * How long threads of this process may pass a lock among themselves before other processes get their turn: at
         * most {@code times} leases (1 to 64; default 64) and for at most {@code slice} (default 50 ms). One lease means
         * strict order across processes.
         */
        public Builder handOff(int times, Duration slice) {
            if (times < 1 || times > 64) {
                throw new IllegalArgumentException("handOff times must be between 1 and 64: " + times);
            }
            this.handOffs = times;
            this.slice = notNegative("handOff slice", slice);
            return this;
        }

        /** A hold that lasts longer than this is logged, with the place where it was acquired; default one minute. */
        public Builder warnAfter(Duration warnAfter) {
            this.warnAfter = notNegative("warnAfter", warnAfter);
            return this;
        }

        /** How long {@link Holdfast#close()} waits for leases to be given back; default 5 s. */
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

        /** Opens it. */
        public Holdfast build() {
            Settings settings = new Settings(label, handOffs, slice, warnAfter, shutdownGrace, List.copyOf(listeners));
            return new Holdfast(new Connection(store, owned, environment, executor, settings), defaults);
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
