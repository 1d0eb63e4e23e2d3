package io.holdfast.servers;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link TcpProxy}. */
final class Link {

    private static final int OPENING = 4_096;

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Pump requests;
    private final Pump answers;
    private final AtomicInteger endsTold = new AtomicInteger();

    /*
     * How a reply is lost although its request is surely executed, with no knowledge of the protocol. The request is passed
     * on. With the first answer that comes then, the server is told that there are no more requests, and whatever it says is
     * dropped until it ends the connection. It does so after it has read, and executed, all that it was sent; even if that
     * first answer was the one to an earlier request. A reset would have let its kernel throw away what it had not yet read.
     * Only then is the client cut off. The lock keeps the server's side open while the request is being written.
     */
    private final ReentrantLock sending = new ReentrantLock();

    private volatile @Nullable PlannedCut replyLoss;
    private byte[] before = {};
    private volatile String opening = "";
    private final Lane ownToServer = new Lane();
    private final Lane ownToClient = new Lane();

    Link(TcpProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        String name = "proxy-" + proxy.port();
        this.requests = new Pump(name + "-requests", client, server, lanes(Direction.TO_SERVER), new Requests());
        this.answers = new Pump(name + "-answers", server, client, lanes(Direction.TO_CLIENT), new Answers());
    }

    void start() {
        requests.start();
        answers.start();
    }

    /** What holds for this connection alone. */
    Lane lane(Direction direction) {
        return direction == Direction.TO_SERVER ? ownToServer : ownToClient;
    }

    /** The first bytes that went to the server. */
    String opening() {
        return opening;
    }

    private List<Lane> lanes(Direction direction) {
        return List.of(proxy.lane(direction), lane(direction));
    }

    /** Ends both sides with a reset. Idempotent. */
    void reset() {
        reset(client);
        reset(server);
        finish();
    }

    static void reset(Socket socket) {
        try (socket) {
            // Without lingering, closing sends a reset instead of an orderly end.
            socket.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            // Then there is nothing to reset.
        }
    }

    private void finish() {
        proxy.ended(this);
        requests.stop();
        answers.stop();
    }

    private void endTold() {
        if (endsTold.incrementAndGet() == 2) {
            try (client;
                    server) {
                finish();
            } catch (IOException closedAlready) {
                // Both sides had ended before.
            }
        }
    }

    private final class Requests implements Pump.Turns {

        @Override
        public boolean arrive() {
            return true;
        }

        @Override
        public void depart(byte[] bytes) throws IOException {
            PlannedCut cut = proxy.claim(before, bytes);
            before = lastOf(before, bytes);
            // This thread is the only one that changes it.
            String start = opening;
            if (start.length() < OPENING) {
                opening = start + new String(bytes, StandardCharsets.ISO_8859_1);
            }
            if (cut != null && cut.loses(PlannedCut.Loss.REQUEST)) {
                reset();
                cut.done();
                return;
            }
            sending.lock();
            try {
                if (cut != null) {
                    replyLoss = cut;
                }
                if (!server.isOutputShutdown()) {
                    server.getOutputStream().write(bytes);
                }
            } finally {
                sending.unlock();
            }
        }

        @Override
        public void ended() {}

        @Override
        public void told() {
            endTold();
        }

        @Override
        public void gone() throws InterruptedException {
            answers.breakOff();
        }

        @Override
        public void broken() {
            reset();
        }
    }

    private final class Answers implements Pump.Turns {

        @Override
        public boolean arrive() throws IOException {
            if (replyLoss == null) {
                return true;
            }
            sending.lock();
            try {
                if (!server.isOutputShutdown()) {
                    server.shutdownOutput();
                }
            } finally {
                sending.unlock();
            }
            return false;
        }

        @Override
        public void depart(byte[] bytes) throws IOException {
            client.getOutputStream().write(bytes);
        }

        @Override
        public void ended() {
            PlannedCut cut = replyLoss;
            if (cut != null) {
                reset();
                cut.done();
            }
        }

        @Override
        public void told() {
            endTold();
        }

        @Override
        public void gone() throws InterruptedException {
            requests.breakOff();
        }

        @Override
        public void broken() {
            reset();
        }
    }

    private static byte[] lastOf(byte[] earlier, byte[] later) {
        if (later.length >= PlannedCut.LONGEST_PATTERN) {
            return Arrays.copyOfRange(later, later.length - PlannedCut.LONGEST_PATTERN, later.length);
        }
        int kept = Math.min(earlier.length, PlannedCut.LONGEST_PATTERN - later.length);
        byte[] last =
                Arrays.copyOf(Arrays.copyOfRange(earlier, earlier.length - kept, earlier.length), kept + later.length);
        System.arraycopy(later, 0, last, kept, later.length);
        return last;
    }
}
