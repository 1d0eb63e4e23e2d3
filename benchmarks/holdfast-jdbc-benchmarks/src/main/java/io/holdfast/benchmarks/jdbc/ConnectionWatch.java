package io.holdfast.benchmarks.jdbc;

import java.util.concurrent.TimeUnit;

/** Looks now and then how many connections there are. */
final class ConnectionWatch implements AutoCloseable {

    private static final long EVERY_MILLIS = 100;

    private final SqlHost host;
    private final Query observer;
    private final Thread thread = new Thread(this::look, "connection-watch");
    private volatile boolean closed;
    private volatile int most;

    ConnectionWatch(SqlHost host) {
        this.host = host;
        this.observer = host.observe();
    }

    /** Starts looking. */
    void begin() {
        thread.start();
    }

    /** The most that were seen at once. */
    int most() {
        return most;
    }

    private void look() {
        try {
            while (!closed) {
                most = Math.max(most, host.connections(observer));
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        } catch (InterruptedException closing) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
        observer.close();
    }
}
