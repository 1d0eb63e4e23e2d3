package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A few threads with a connection each. Requests for one name use one lane, in order, so they do not wait for each other's row locks. */
public final class ConnectionWorkers implements AutoCloseable {

    private final List<ConnectionWorker> lanes = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    public ConnectionWorkers(int count, ConnectionSource source, Dialect dialect, Duration timeout, Ticker ticker) {
        for (int i = 1; i <= count; i++) {
            lanes.add(new ConnectionWorker("holdfast-jdbc-" + i, source, dialect, timeout, ticker));
        }
    }

    /** Executes a request that concerns one name. */
    public <T> CompletableFuture<T> call(String name, Session.Work<T> work) {
        return lanes.get(Math.floorMod(name.hashCode() * 0x9E3779B9, lanes.size()))
                .call(ConnectionWorker.Priority.REQUEST, work);
    }

    /** Executes a request that concerns many names, or none. */
    public <T> CompletableFuture<T> call(Session.Work<T> work) {
        return call(ConnectionWorker.Priority.REQUEST, work);
    }

    public <T> CompletableFuture<T> call(ConnectionWorker.Priority priority, Session.Work<T> work) {
        return best().call(priority, work);
    }

    /** The one that has the least to do. One that waits for a connection or for an answer only if all do: leases are renewed on the others. */
    private ConnectionWorker best() {
        int first = next.getAndIncrement();
        ConnectionWorker best = null;
        boolean isResponsive = false;
        for (int i = 0; i < lanes.size(); i++) {
            ConnectionWorker lane = lanes.get(Math.floorMod(first + i, lanes.size()));
            boolean responsive = lane.isResponsive();
            if (best == null || (responsive == isResponsive ? lane.load() < best.load() : responsive)) {
                best = lane;
                isResponsive = responsive;
            }
        }
        return Objects.requireNonNull(best);
    }

    /** Whether no connection is open any more, and none will be. */
    public boolean areEnded() {
        return lanes.stream().allMatch(ConnectionWorker::isEnded);
    }

    @Override
    public void close() {
        lanes.forEach(ConnectionWorker::stop);
        lanes.forEach(ConnectionWorker::close);
    }
}
