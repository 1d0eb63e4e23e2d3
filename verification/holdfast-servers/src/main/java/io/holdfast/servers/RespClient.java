package io.holdfast.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a Redis server, for what a test wants to say to it: {@code client.call("CONFIG", "SET", "maxmemory",
 * "1mb")}. Not thread-safe.
 *
 * <p>An answer is a {@link String}, a {@link Long}, a {@link List} of answers, or null. An error answer is thrown as
 * {@link RespException}; a broken connection, and an answer that does not come in time, as {@link UncheckedIOException}.
 */
public final class RespClient implements AutoCloseable {

    /** How long an answer is waited for if nothing else is said. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Socket socket;
    private final DataInputStream in;

    private RespClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    public static RespClient connect(int port) {
        return connect(port, PATIENCE);
    }

    /** Connects to a server on loopback; an answer is waited for no longer than {@code patience}. */
    public static RespClient connect(int port, Duration patience) {
        return connect(new Socket(), port, patience);
    }

    /** Connects by TLS. */
    @SuppressWarnings("AddressSelection") // An unconnected socket is asked for, no host is.
    public static RespClient connect(int port, Duration patience, SSLContext tls) {
        try {
            return connect(tls.getSocketFactory().createSocket(), port, patience);
        } catch (IOException unavailable) {
            throw new UncheckedIOException(unavailable);
        }
    }

    private static RespClient connect(Socket socket, int port, Duration patience) {
        int millis = Math.toIntExact(patience.toMillis());
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            return new RespClient(socket);
        } catch (IOException refused) {
            closeQuietly(socket);
            throw new UncheckedIOException(refused);
        }
    }

    /** Sends a command and reads its answer. */
    public @Nullable Object call(String... words) {
        send(words);
        return receive();
    }

    /** As {@link #call}, for commands that answer with text. */
    public String text(String... words) {
        return (String) Objects.requireNonNull(call(words));
    }

    /** As {@link #call}, for commands that answer with a number. */
    public long number(String... words) {
        return (Long) Objects.requireNonNull(call(words));
    }

    /** As {@link #call}, for commands that answer with a list. */
    public List<?> list(String... words) {
        return (List<?>) Objects.requireNonNull(call(words));
    }

    /** The value of a line {@code field:value}, as in the answers to {@code INFO} and {@code CLUSTER INFO}; empty if there is none. */
    public String field(String field, String... words) {
        return text(words)
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Sends a command without waiting for its answer. */
    public void send(String... words) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(utf8("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = utf8(word);
            request.writeBytes(utf8("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(utf8("\r\n"));
        }
        try {
            socket.getOutputStream().write(request.toByteArray());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Reads the next answer, or the next message of a subscription. */
    public @Nullable Object receive() {
        try {
            return answer();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private @Nullable Object answer() throws IOException {
        int type = in.read();
        if (type < 0) {
            throw new EOFException("closed by the server");
        }
        String line = line();
        return switch (type) {
            case '+' -> line;
            case '-' -> throw new RespException(line);
            case ':' -> Long.valueOf(line);
            case '$' -> bulk(Integer.parseInt(line));
            case '*' -> list(Integer.parseInt(line));
            default -> throw new IOException("no RESP: " + (char) type + line);
        };
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        in.skipNBytes(2);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> list(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> answers = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            answers.add(answer());
        }
        return answers;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.readUnsignedByte(); next != '\r'; next = in.readUnsignedByte()) {
            line.write(next);
        }
        in.skipNBytes(1);
        return line.toString(StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException broken) {
            // It is of no more use either way.
        }
    }
}
