package io.holdfast.testing;

import io.holdfast.Holdfast;
import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.HoldfastListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Processes that share a store, on manual time. */
public final class TwoProcesses implements AutoCloseable {

    private final String url = "memory:" + UUID.randomUUID();
    private final List<Holdfast> open = new ArrayList<>();

    public final ManualTime time;
    public final FaultyStore store;
    public final FaultyStore storeThere;
    public final Holdfast here;
    public final Holdfast there;

    public TwoProcesses() {
        this(new ManualTime());
    }

    public TwoProcesses(ManualTime time) {
        this.time = time;
        this.store = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
        this.storeThere = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
        this.here = holdfast(store, 64, event -> {});
        this.there = holdfast(storeThere, 64, event -> {});
    }

    public Holdfast holdfast(FaultyStore on, int handOffs, HoldfastListener listener) {
        Holdfast holdfast = Holdfast.builder(on)
                .environment(time.environment())
                .localHandOff(handOffs, Duration.ofMillis(50))
                .shutdownGrace(Duration.ZERO)
                .listener(listener)
                .build();
        open.add(holdfast);
        return holdfast;
    }

    @Override
    public void close() {
        open.forEach(Holdfast::close);
        store.close();
        storeThere.close();
    }
}
