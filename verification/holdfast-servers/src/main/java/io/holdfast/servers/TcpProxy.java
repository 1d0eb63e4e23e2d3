package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A network in front of a server that fails on demand: it listens on a free port of loopback and passes on what it gets. Faults
 * can be switched at any time and hold for present and for new connections. Thread-safe.
 *
 * <pre>{@code
 * try (TcpProxy network = TcpProxy.to(redis.port())) {
 *     // … connect to network.port() …
 *     network.stall(Direction.TO_CLIENT);
 * }
 * }</pre>
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BACKLOG = 200;
    private static final int CONNECT_LIMIT_MILLIS = 10_000;

    private final InetSocketAddress target;
    private final int port;
    private final Map<Direction, Lane> lanes =
            new EnumMap<>(Map.of(Direction.TO_SERVER, new Lane(), Direction.TO_CLIENT, new Lane()));
    private final List<PlannedCut> plannedCuts = new CopyOnWriteArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong everOpened = new AtomicLong();
    /** Held to switch between refusing and accepting. */
    private final ReentrantLock switching = new ReentrantLock();

    private @Nullable Acceptor acceptor;
    private boolean closed;

    private TcpProxy(InetSocketAddress target) {
        this.target = target;
        ServerSocket bound = bindAnyPort();
        this.port = bound.getLocalPort();
        this.acceptor = new Acceptor(bound);
        acceptor.start();
    }

    /** A proxy for a server on loopback. */
    public static TcpProxy to(int port) {
        return to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    public static TcpProxy to(InetSocketAddress target) {
        return new TcpProxy(target);
    }

    /** The port of loopback where it listens. */
    public int port() {
        return port;
    }

    /** Makes bytes take this much longer in each direction; zero ends it. */
    public void delay(Duration delay) {
        lanes.values().forEach(lane -> lane.delay(delay));
    }

    /** Makes bytes take this much longer in one direction; zero ends it. */
    public void delay(Direction direction, Duration delay) {
        lane(direction).delay(delay);
    }

    /** Silently holds back all bytes, and ends of connections, both ways: a partition that neither side is told of. */
    public void stall() {
        lanes.values().forEach(Lane::stall);
    }

    /** Silently holds back all bytes, and ends of connections, in one direction: a one-way partition. */
    public void stall(Direction direction) {
        lane(direction).stall();
    }

    /** Ends a stall both ways: what was held back is delivered now. */
    public void flow() {
        lanes.values().forEach(Lane::flow);
    }

    /** Ends a stall in one direction: what was held back is delivered now. */
    public void flow(Direction direction) {
        lane(direction).flow();
    }

    /** Resets all present connections, on both sides, and drops what is under way. */
    public void cut() {
        links.forEach(Link::reset);
    }

    /** Refuses new connections from now on, as if nobody listened; present ones go on. */
    public void refuse() {
        switching.lock();
        try {
            Acceptor current = acceptor;
            acceptor = null;
            if (current != null) {
                current.stop();
            }
        } finally {
            switching.unlock();
        }
    }

    /** Accepts new connections again, on the same port. */
    public void accept() {
        switching.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the proxy is closed");
            }
            if (acceptor == null) {
                acceptor = new Acceptor(bind(port));
                acceptor.start();
            }
        } catch (IOException taken) {
            throw new UncheckedIOException(taken);
        } finally {
            switching.unlock();
        }
    }

    /**
     * Cuts the connection at the next request with these bytes, after the server has executed it and before the client has the
     * reply. The connection may carry requests before it whose replies are lost as well; requests behind it may be executed.
     *
     * @param pattern as it goes over the wire, in this case, such as {@code "EVALSHA"}; empty for any request
     */
    public PlannedCut loseReplyTo(String pattern) {
        return plan(new PlannedCut(PlannedCut.Loss.REPLY, pattern));
    }

    /**
     * Cuts the connection at the next request with these bytes, before the server has it. Requests that were sent together with
     * it may be lost as well.
     *
     * @param pattern as it goes over the wire, in this case, such as {@code "EVALSHA"}; empty for any request
     */
    public PlannedCut loseRequest(String pattern) {
        return plan(new PlannedCut(PlannedCut.Loss.REQUEST, pattern));
    }

    /**
     * The open connections whose first requests have these bytes, to be disturbed apart from the others.
     *
     * @param pattern as it goes over the wire, in this case, such as {@code "SUBSCRIBE"}, within the first 4 KiB
     */
    public List<ProxiedConnection> carrying(String pattern) {
        return links.stream()
                .filter(link -> link.opening().contains(pattern))
                .map(ProxiedConnection::new)
                .toList();
    }

    /** How many connections are open now. */
    public int connections() {
        return links.size();
    }

    /** How many connections were ever opened. */
    public long connectionsEver() {
        return everOpened.get();
    }

    /** How many bytes were passed on. */
    public long bytes(Direction direction) {
        return lane(direction).bytes();
    }

    /** Refuses new connections and resets the present ones, for good. Idempotent. */
    @Override
    public void close() {
        switching.lock();
        try {
            closed = true;
            refuse();
            cut();
        } finally {
            switching.unlock();
        }
    }

    Lane lane(Direction direction) {
        return Objects.requireNonNull(lanes.get(direction));
    }

    void ended(Link link) {
        links.remove(link);
    }

    /** The planned cut that these new bytes call for, if any. */
    @Nullable
    PlannedCut claim(byte[] before, byte[] bytes) {
        for (PlannedCut cut : plannedCuts) {
            if (cut.claim(before, bytes)) {
                plannedCuts.remove(cut);
                return cut;
            }
        }
        return null;
    }

    private PlannedCut plan(PlannedCut cut) {
        plannedCuts.removeIf(PlannedCut::isClaimed);
        plannedCuts.add(cut);
        return cut;
    }

    private void open(Socket client) {
        Socket server = new Socket();
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_LIMIT_MILLIS);
        } catch (IOException unreachable) {
            Link.reset(client);
            Link.reset(server);
            return;
        }
        Link link = new Link(this, client, server);
        links.add(link);
        everOpened.incrementAndGet();
        link.start();
    }

    /** Listens, and opens a connection for each that comes. */
    private final class Acceptor {

        private final ServerSocket listener;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Acceptor(ServerSocket listener) {
            this.listener = listener;
        }

        void start() {
            Thread thread = new Thread(this::run, "proxy-" + port + "-acceptor");
            thread.setDaemon(true);
            thread.start();
        }

        void stop() {
            try {
                listener.close();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
            // The system goes on listening until the thread that waits for connections has left that call.
            ended.join();
        }

        private void run() {
            try (listener) {
                while (true) {
                    open(listener.accept());
                }
            } catch (IOException stopped) {
                // That is how stop() ends it.
            } finally {
                ended.complete(null);
            }
        }
    }

    private static ServerSocket bindAnyPort() {
        while (true) {
            try {
                return bind(FreePort.find());
            } catch (IOException takenMeanwhile) {
                // Another port will do.
            }
        }
    }

    private static ServerSocket bind(int port) throws IOException {
        return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    }
}
