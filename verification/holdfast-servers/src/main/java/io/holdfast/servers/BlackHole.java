package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Accepts connections and never says a word, as a frozen machine does. What it has accepted stays open until it is closed, also when it has stopped accepting.
 */
public final class BlackHole implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ServerSocket listener;
    private final Thread thread;
    private final Queue<Socket> swallowed = new ConcurrentLinkedQueue<>();

    /** On a port of loopback where nobody listens, such as that of a {@link TcpProxy} that refuses. */
    public BlackHole(int port) {
        try {
            this.listener = new ServerSocket(port, 200, InetAddress.getLoopbackAddress());
        } catch (IOException taken) {
            throw new UncheckedIOException(taken);
        }
        this.thread = new Thread(this::swallow, "black-hole-" + port);
        thread.setDaemon(true);
        thread.start();
    }

    private void swallow() {
        try {
            while (true) {
                swallowed.add(listener.accept());
            }
        } catch (IOException stopped) {
            // That is how stop() ends it.
        }
    }

    /** Waits until it has swallowed so many connections. */
    public void awaitConnections(int count) {
        Await.until(PATIENCE, () -> swallowed.size() >= count, () -> "only " + swallowed.size() + " connections came");
    }

    /** Leaves the port to others. */
    public void stop() {
        try {
            listener.close();
            thread.join();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ServerException("Interrupted", interrupted);
        }
    }

    @Override
    public void close() {
        stop();
        for (Socket socket : swallowed) {
            try {
                socket.close();
            } catch (IOException broken) {
                // It is of no more use either way.
            }
        }
    }
}
