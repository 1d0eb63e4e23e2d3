package io.holdfast.jdbc;

import io.holdfast.jdbc.internal.connection.Session;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import org.jspecify.annotations.Nullable;

/**
 * Implements as much of PostgreSQL's protocol as is needed to do what PgBouncer does in transaction mode: many clients share a
 * few sessions, and a client that is not in a transaction may use another session for the next one. Before {@link #poolTransactions} is called it
 * does as in session mode.
 */
final class TransactionPooler implements AutoCloseable {

    /** Which session the next transaction uses. */
    enum Order {
        /** The default of PgBouncer. */
        LAST_USED,
        /** As PgBouncer does with {@code server_round_robin}. */
        LEAST_RECENTLY_USED
    }

    private static final int SSL = 80_877_103;
    private static final int GSS = 80_877_104;
    private static final int PROTOCOL = 196_608;

    private final int serverPort;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingDeque<Session> pool = new LinkedBlockingDeque<>();
    private volatile boolean transactionMode;
    private volatile Order order = Order.LAST_USED;

    TransactionPooler(int serverPort, int sessions) {
        this.serverPort = serverPort;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            for (int i = 0; i < sessions; i++) {
                pool.add(new Session());
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        thread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From now on a session is returned to the pool when its client is not in a transaction. */
    void poolTransactions(Order by) {
        order = by;
        transactionMode = true;
    }

    private void thread(Runnable body) {
        Thread thread = new Thread(body, "pooler-" + port());
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                thread(() -> serve(client));
            }
        } catch (IOException closed) {
            // That is how close() ends it.
        }
    }

    private void serve(Socket client) {
        Session session = null;
        try (client) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
            if (!greeted(in, out)) {
                return;
            }
            for (int type = in.read(); type > 0 && type != 'X'; type = in.read()) {
                byte[] body = body(in);
                if (session == null) {
                    session = order == Order.LAST_USED ? pool.takeFirst() : pool.takeLast();
                }
                session.send(type, body);
                if (type == 'Q' || type == 'S') {
                    // It is returned before the client can send the next request, on any connection.
                    if (session.answer(out) == 'I' && transactionMode) {
                        pool.putFirst(session);
                        session = null;
                    }
                    out.flush();
                }
            }
        } catch (IOException disconnected) {
            // A client or a server that disconnects is expected.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            replace(session);
        }
    }

    /** The session of a client is closed with it, so its settings affect no other client. */
    private void replace(@Nullable Session used) {
        try {
            if (used != null) {
                used.socket.close();
                pool.addLast(new Session());
            }
        } catch (IOException serverGone) {
            // Then there is one less.
        }
    }

    /** Accepts every client, without authentication by the server. False if it only sends a cancel request. */
    private boolean greeted(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            int length = in.readInt();
            int code = in.readInt();
            in.skipNBytes(length - 2L * Integer.BYTES);
            if (code == SSL || code == GSS) {
                out.write('N');
                out.flush();
            } else if (code == PROTOCOL) {
                Session any = pool.peekFirst();
                if (any == null) {
                    throw new EOFException("no session left");
                }
                out.write(any.greeting);
                out.flush();
                return true;
            } else {
                return false;
            }
        }
    }

    private static byte[] body(DataInputStream in) throws IOException {
        byte[] body = new byte[in.readInt() - Integer.BYTES];
        in.readFully(body);
        return body;
    }

    private static void write(DataOutputStream out, int type, byte... body) throws IOException {
        out.write(type);
        out.writeInt(body.length + Integer.BYTES);
        out.write(body);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** A session of the server. */
    private final class Session {

        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final byte[] greeting;

        Session() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            sockets.add(socket);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            byte[] who =
                    "user\0holdfast\0database\0holdfast\0client_encoding\0UTF8\0\0".getBytes(StandardCharsets.UTF_8);
            out.writeInt(who.length + 2 * Integer.BYTES);
            out.writeInt(PROTOCOL);
            out.write(who);
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            answer(new DataOutputStream(said));
            greeting = said.toByteArray();
        }

        void send(int type, byte... body) throws IOException {
            write(out, type, body);
        }

        /** Passes on all that comes until the server is ready again, and says in which state. */
        int answer(DataOutputStream to) throws IOException {
            out.flush();
            while (true) {
                int type = in.readUnsignedByte();
                byte[] body = body(in);
                write(to, type, body);
                if (type == 'Z') {
                    return body[0];
                }
            }
        }
    }
}
