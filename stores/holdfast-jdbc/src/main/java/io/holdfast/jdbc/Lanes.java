package io.holdfast.jdbc;

import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A few threads with a connection each. Requests for one name use one lane, in order, so they do not wait for each other's row locks. */
final class Lanes implements AutoCloseable {

    private final List<Lane> lanes = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    Lanes(int count, Source source, Dialect dialect, Duration timeout, Ticker ticker) {
        for (int i = 1; i <= count; i++) {
            lanes.add(new Lane("holdfast-jdbc-" + i, source, dialect, timeout, ticker));
        }
    }

    /** Executes a request that concerns one name. */
    <T> CompletableFuture<T> call(String name, Session.Work<T> work) {
        return lanes.get(Math.floorMod(name.hashCode() * 0x9E3779B9, lanes.size()))
                .call(Lane.Priority.REQUEST, work);
    }

    /** Executes a request that concerns many names, or none. */
    <T> CompletableFuture<T> call(Session.Work<T> work) {
        return call(Lane.Priority.REQUEST, work);
    }

    <T> CompletableFuture<T> call(Lane.Priority priority, Session.Work<T> work) {
        return best().call(priority, work);
    }

    /** The one that has the least to do. One that waits for a connection or for an answer only if all do: leases are renewed on the others. */
    private Lane best() {
        int first = next.getAndIncrement();
        Lane best = null;
        boolean isResponsive = false;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(Math.floorMod(first + i, lanes.size()));
            boolean responsive = lane.isResponsive();
            if (best == null || (responsive == isResponsive ? lane.load() < best.load() : responsive)) {
                best = lane;
                isResponsive = responsive;
            }
        }
        return Objects.requireNonNull(best);
    }

    /** Whether no connection is open any more, and none will be. */
    boolean areEnded() {
        return lanes.stream().allMatch(Lane::isEnded);
    }

    @Override
    public void close() {
        lanes.forEach(Lane::stop);
        lanes.forEach(Lane::close);
    }
}
