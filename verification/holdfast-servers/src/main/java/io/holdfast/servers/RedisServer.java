package io.holdfast.servers;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis 7.0 on a free port of loopback. It keeps nothing on disk unless its settings say so: after {@link #restart}
 * the data are lost, but with {@code "appendonly yes", "appendfsync always"} they are there again.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start("maxmemory 10mb"); RespClient client = redis.client()) {
 *     client.call("SET", "a", "1");
 * }
 * }</pre>
 */
public final class RedisServer implements AutoCloseable {

    private final ChildProcess process;
    private final int port;
    private final @Nullable SSLContext tls;

    private RedisServer(ChildProcess process, int port, @Nullable SSLContext tls) {
        this.process = process;
        this.port = port;
        this.tls = tls;
    }

    /** Why Redis cannot run on this machine; empty if it can. */
    public static Optional<String> obstacle() {
        return Platform.redisObstacle();
    }

    /** Starts a server. A setting is a line of {@code redis.conf} and prevails over the defaults here. */
    public static RedisServer start(String... settings) {
        return start(bundled(List.of("enable-debug-command local"), settings), null);
    }

    /** Starts a server that speaks nothing but TLS, with this certificate, and asks clients for none. */
    public static RedisServer startWithTls(ServerCertificate certificate, String... settings) {
        List<String> secured = List.of(
                "enable-debug-command local",
                "tls-cert-file \"" + certificate.certificate() + "\"",
                "tls-key-file \"" + certificate.key() + "\"",
                "tls-ca-cert-file \"" + certificate.certificate() + "\"",
                "tls-auth-clients no");
        return start(bundled(secured, settings), certificate.trustingContext());
    }

    static RedisServer startSentinel(List<String> settings) {
        return start(new Launch(List.of(RedisBinary.path().toString()), List.of("--sentinel"), settings), null);
    }

    private static Launch bundled(List<String> defaults, String... settings) {
        List<String> all = new ArrayList<>(defaults);
        all.addAll(List.of(settings));
        return new Launch(List.of(RedisBinary.path().toString()), List.of(), all);
    }

    /** How to start a server: the words before and after the name of its configuration, and the lines in there. */
    record Launch(List<String> words, List<String> options, List<String> settings) {

        List<String> command(Path folder, String ports) {
            List<String> lines = new ArrayList<>(
                    List.of("bind 127.0.0.1", ports, "dir \"" + folder + "\"", "save \"\"", "appendonly no"));
            lines.addAll(settings);
            Path file = new ScratchFolder(folder).write("redis.conf", String.join("\n", lines) + "\n");
            List<String> command = new ArrayList<>(words);
            command.add(file.toString());
            command.addAll(options);
            return command;
        }
    }

    static RedisServer start(Launch launch, @Nullable SSLContext tls) {
        return FreePort.take(port -> {
            String ports = tls == null ? "port " + port : "port 0\ntls-port " + port;
            ChildProcess process = ChildProcess.start(
                    "redis", folder -> launch.command(folder, ports), started -> answers(started, port, tls));
            return new RedisServer(process, port, tls);
        });
    }

    public int port() {
        return port;
    }

    /** As {@code redis://127.0.0.1:port}, or {@code rediss://…} with TLS. */
    public String url() {
        return (tls == null ? "redis" : "rediss") + "://127.0.0.1:" + port;
    }

    /** A new connection. */
    public RespClient client() {
        return client(RespClient.PATIENCE);
    }

    /** A new connection that waits for an answer no longer than this. */
    public RespClient client(Duration patience) {
        return connect(port, patience, tls);
    }

    /** The process id of the server; after a restart, another one. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** All that the server has printed. */
    public String log() {
        return process.log();
    }

    /** Stops the server in its tracks (SIGSTOP): connections stay open, nothing is answered. */
    public void pause() {
        process.pause();
    }

    /** Lets a paused server go on. */
    public void resume() {
        process.resume();
    }

    /** Ends the server without warning (SIGKILL) and returns when it is gone. */
    public void kill() {
        process.kill();
    }

    /** Starts the server again on the same port, with what it had put on disk. Kills it first if it runs. */
    public void restart() {
        process.restart();
    }

    /** Kills the server and removes its folder. Idempotent. */
    @Override
    public void close() {
        process.close();
    }

    /** Whether it is our server that answers, for another one may have been faster to take the port. */
    private static boolean answers(ChildProcess process, int port, @Nullable SSLContext tls) {
        try (RespClient client = connect(port, RespClient.PATIENCE, tls)) {
            return client.field("process_id", "INFO", "server").equals(Long.toString(process.pid()))
                    && !client.field("loading", "INFO", "persistence").equals("1");
        } catch (RespException refused) {
            return String.valueOf(refused.getMessage()).startsWith("NOAUTH");
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    private static RespClient connect(int port, Duration patience, @Nullable SSLContext tls) {
        return tls == null ? RespClient.connect(port, patience) : RespClient.connect(port, patience, tls);
    }
}
