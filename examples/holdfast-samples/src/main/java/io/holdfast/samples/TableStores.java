package io.holdfast.samples;

import io.holdfast.Holdfast;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.support.ThreadedStore;
import io.holdfast.spi.support.WaitingStore;
import java.time.Duration;

/** Makes whole stores of {@link TableStore}s. */
public final class TableStores {

    private TableStores() {}

    // region wire
    /** Locks in {@code table}. */
    public static Holdfast connect(LockTable table) {
        return Holdfast.builder(environment -> open(table, environment)).build();
    }

    /** A store that runs blocking calls on the executor, and asks again every 50 ms at the latest while it waits. */
    public static LockStore open(LockTable table, Environment environment) {
        TableStore blocking = new TableStore(table, environment.ticker());
        ThreadedStore threaded = new ThreadedStore(blocking, environment.executor());
        return new WaitingStore(threaded, environment, Duration.ofMillis(50));
    }
    // endregion
}
