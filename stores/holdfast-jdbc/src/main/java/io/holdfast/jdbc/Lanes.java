package io.holdfast.jdbc;

import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        return lanes.get(Math.floorMod(next.getAndIncrement(), lanes.size())).call(priority, work);
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
