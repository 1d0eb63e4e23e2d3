package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few {@link ConnectionWorker}s. Requests for one name are executed by the same worker, in order, so they do not wait for each other's row
 * locks.
 */
public final class ConnectionWorkers implements AutoCloseable {

    private final List<ConnectionWorker> workers = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    public ConnectionWorkers(int count, ConnectionSource source, Dialect dialect, Duration timeout, Ticker ticker) {
        for (int i = 1; i <= count; i++) {
            workers.add(new ConnectionWorker("holdfast-jdbc-" + i, source, dialect, timeout, ticker));
        }
    }

    /** Executes a request that concerns one name. */
    public <T> CompletableFuture<T> call(String name, Session.Work<T> work) {
        return workers.get(Math.floorMod(name.hashCode() * 0x9E3779B9, workers.size()))
                .call(ConnectionWorker.Priority.REQUEST, work);
    }

    /** Executes a request that concerns many names, or none. */
    public <T> CompletableFuture<T> call(Session.Work<T> work) {
        return call(ConnectionWorker.Priority.REQUEST, work);
    }

    public <T> CompletableFuture<T> call(ConnectionWorker.Priority priority, Session.Work<T> work) {
        return leastLoaded().call(priority, work);
    }

    /** One that waits for a connection or for a response is chosen only if all do: leases are renewed on the others. */
    private ConnectionWorker leastLoaded() {
        int first = next.getAndIncrement();
        ConnectionWorker leastLoaded = null;
        boolean isResponsive = false;
        for (int i = 0; i < workers.size(); i++) {
            ConnectionWorker worker = workers.get(Math.floorMod(first + i, workers.size()));
            boolean responsive = worker.isResponsive();
            if (leastLoaded == null || (responsive == isResponsive ? worker.load() < leastLoaded.load() : responsive)) {
                leastLoaded = worker;
                isResponsive = responsive;
            }
        }
        return Objects.requireNonNull(leastLoaded);
    }

    /** Whether all threads have ended, so that all connections are closed. */
    public boolean areTerminated() {
        return workers.stream().allMatch(ConnectionWorker::isTerminated);
    }

    @Override
    public void close() {
        workers.forEach(ConnectionWorker::stop);
        workers.forEach(ConnectionWorker::close);
    }
}
