package io.holdfast.lincheck;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.internal.handle.LockFactory;
import io.holdfast.internal.memory.MemoryStore;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.internal.runtime.Settings;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * One name, from the local queue to {@code close()}. The holders have at no time more units than there are; and when all have
 * released what they got, there are no waiters, and neither local queue, store nor scheduler has anything left.
 */
@Param(name = "which", gen = IntGen.class, conf = "0:2")
public abstract class LocalQueueCheck implements Check {

    static final Duration LEASE = Duration.ofSeconds(9);

    /** Between the end in the holder's view and the end in the store's. */
    static final Duration OVER_FOR_THE_HOLDER = LEASE.minusMillis(10);

    static final Settings SETTINGS =
            new Settings("", 64, Duration.ofMillis(50), Duration.ofMinutes(1), Duration.ZERO, List.of());

    /**
     * Its place is in the middle of a small hash map: Lincheck takes a walk past ten empty places for spinning, and lets
     * another thread have a go, always there and nowhere else.
     */
    static final String NAME = "berth";

    private static final int ROUNDS = 5;

    private final SharedTime time = new SharedTime();
    private final MemoryStore store = MemoryStore.open(time.environment());
    final Engine engine;
    final LockFactory locks;
    private final int capacity;
    private final CopyOnWriteArrayList<CompletableFuture<Lease>> futures = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Served> served = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable String> violation = new AtomicReference<>();

    private record Served(Lease lease, int units) {}

    LocalQueueCheck(Function<MemoryStore, LockStore> access, int capacity) {
        this.engine = new Engine(access.apply(store), time.environment(), SETTINGS);
        this.locks = new LockFactory(engine);
        this.capacity = capacity;
    }

    static LockOptions options(Duration maxWait) {
        return LockOptions.builder().leaseTime(LEASE).maxWait(maxWait).build();
    }

    @Operation
    public void cancel(@Param(name = "which") int which) {
        if (which < futures.size()) {
            futures.get(which).cancel(false);
        }
    }

    @Operation
    public void release(@Param(name = "which") int which) {
        if (which < served.size()) {
            served.get(which).lease().release();
        }
    }

    @Operation
    public void renew() {
        time.pass(LEASE.dividedBy(3));
    }

    @Operation
    public void expire() {
        time.pass(OVER_FOR_THE_HOLDER);
    }

    @Operation(runOnce = true)
    public void close() {
        var unused = engine.close(() -> {});
    }

    void pending(CompletableFuture<Lease> future, int units) {
        futures.add(future);
        var unused = future.thenAccept(lease -> served(new Served(lease, units)));
    }

    private void served(Served latest) {
        served.add(latest);
        int taken = 0;
        // A lease that is HELD when it is looked at was so when the list was taken: it never comes back.
        for (Served each : served) {
            if (each.lease().state() == LeaseState.HELD) {
                taken += each.units();
                for (Served other : served) {
                    if (isOutdated(each.lease(), other.lease())) {
                        violation.set(each.lease() + " is HELD although there was " + other.lease());
                    }
                }
            }
        }
        if (taken > capacity) {
            violation.set(taken + " of " + capacity + " are HELD");
        }
    }

    /** Whether a lease cannot be HELD, because of another one that was granted. */
    boolean isOutdated(Lease held, Lease granted) {
        return false;
    }

    @Validate
    public void settled() {
        settle();
    }

    @Override
    public void settle() {
        require(violation.get() == null, String.valueOf(violation.get()));
        for (int i = 0; i < ROUNDS; i++) {
            served.forEach(each -> each.lease().release());
            time.pass(Duration.ZERO);
        }
        require(futures.stream().allMatch(CompletableFuture::isDone), "somebody waits, and nobody holds");
        require(engine.isIdle(), "a local queue stayed behind");
        require(store.names() == 0, "the store still has the name");
        require(futures.stream().allMatch(this::endedWell), "a wait failed for no reason");
        time.pass(LEASE.multipliedBy(2));
        require(time.timers() == 0, "a timer stayed behind");
    }

    private boolean endedWell(CompletableFuture<Lease> future) {
        if (!future.isCompletedExceptionally() || future.isCancelled()) {
            return true;
        }
        return isFair(future.handle((lease, failure) -> failure).join());
    }

    boolean isFair(Throwable failure) {
        return engine.isClosing() && failure instanceof HoldfastException;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** Asks for as much as somebody may ask for. */
    abstract void acquireMost();

    @Override
    public void rehearse() {
        acquireMost();
        acquireMost();
        cancel(1);
        acquireMost();
        release(0);
        renew();
        expire();
        acquireMost();
        close();
        acquireMost();
        settle();
    }
}
