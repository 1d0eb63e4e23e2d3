package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What each SQL server has to show. */
abstract class SqlServerChecks {

    static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Executor THREAD_EACH = task -> new Thread(task).start();

    abstract SqlServer start();

    /** The main class of a JVM that starts a server, see {@link #tell}. */
    abstract Class<?> starter();

    @Test
    void committedDataSurviveAKill() throws SQLException {
        try (SqlServer server = start()) {
            int port = server.port();
            long pid = server.pid();
            update(server, "create table a (b int)");
            update(server, "insert into a values (42)");
            try (Connection open = connect(server);
                    Statement statement = open.createStatement()) {
                open.setAutoCommit(false);
                statement.executeUpdate("insert into a values (43)");

                server.kill();

                assertThat(server.isAlive()).isFalse();
                assertThatThrownBy(() -> connect(server)).isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> statement.executeUpdate("insert into a values (44)"))
                        .isInstanceOf(SQLException.class);
            } catch (SQLException connectionIsLost) {
                // By closing it, which rolls back.
            }
            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(query(server, "select sum(b) from a")).isEqualTo("42");
        }
    }

    @Test
    void killOfAWorkingServerIsSurvivedAgainAndAgain() throws SQLException {
        try (SqlServer server = start()) {
            update(server, "create table a (b int)");
            for (int round = 1; round <= 3; round++) {
                update(server, "insert into a values (1)");
                server.restart();
                assertThat(query(server, "select sum(b) from a")).isEqualTo(Integer.toString(round));
            }
        }
    }

    @Test
    void pausedServerAnswersAfterResume() throws Exception {
        try (SqlServer server = start();
                Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            server.pause();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> first(statement), THREAD_EACH);
            CompletableFuture<String> another =
                    CompletableFuture.supplyAsync(() -> query(server, "select 2"), THREAD_EACH);
            assertThatThrownBy(() -> answer.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(another).isNotDone();
            assertThat(server.isAlive()).isTrue();

            server.resume();

            assertThat(answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("1");
            assertThat(another.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("2");
        }
    }

    @Test
    void nothingIsLeftBehind() throws SQLException {
        SqlServer server = start();
        Path folder = folderOf(server);
        try (Connection open = connect(server)) {
            List<ProcessHandle> all = processesOf(server.pid());
            assertThat(open.isValid(1)).isTrue();
            assertThat(folder).isDirectory();
            server.pause();

            server.close();
            server.close();

            assertThat(all).allMatch(ChildProcess::isGone);
            assertThat(folder).doesNotExist();
            assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void proxyCanStandBetween() throws SQLException {
        try (SqlServer server = start();
                TcpProxy proxy = TcpProxy.to(server.port());
                Connection connection = DriverManager.getConnection(server.url(proxy.port()))) {
            assertThat(connection.isValid(10)).isTrue();
        }
    }

    @Test
    void serverEndsWhenItsJvmIsKilled() throws IOException {
        endsWithItsJvm();
    }

    @Test
    void pausedServerEndsWhenItsJvmIsKilled() throws IOException {
        endsWithItsJvm("pause");
    }

    private void endsWithItsJvm(String... args) throws IOException {
        Process jvm = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        starter().getName()),
                                Stream.of(args))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = jvm.inputReader()) {
            List<ProcessHandle> all = processesOf(Long.parseLong(output.readLine()));
            Path folder = Path.of(output.readLine());
            assertThat(all).isNotEmpty();
            assertThat(folder).isDirectory();

            jvm.destroyForcibly();

            Await.until(LIMIT, () -> all.stream().allMatch(ChildProcess::isGone), () -> all + " outlive the JVM");
            Await.until(LIMIT, () -> Files.notExists(folder), () -> "the folder outlives the JVM");
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Prints the id of the server and its folder, with a connection to it open; then waits to be killed. */
    static void tell(SqlServer server, String... args) throws InterruptedException, SQLException {
        try (Connection open = connect(server)) {
            Path folder = folderOf(server);
            if (List.of(args).contains("pause")) {
                server.pause();
            }
            System.out.println(server.pid());
            System.out.println(folder);
            Thread.currentThread().join();
            open.commit();
        }
    }

    static Connection connect(SqlServer server) throws SQLException {
        return DriverManager.getConnection(server.url());
    }

    static void update(SqlServer server, String sql) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** The first column of the first row. */
    static String query(SqlServer server, String sql) {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1).toLowerCase(Locale.ROOT);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    private static String first(Statement statement) {
        try (ResultSet rows = statement.executeQuery("select 1")) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    private static List<ProcessHandle> processesOf(long pid) {
        ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
        return Stream.concat(Stream.of(server), server.descendants()).toList();
    }

    /** The server's working directory is its data folder. */
    private static Path folderOf(SqlServer server) {
        try {
            Path data = Files.readSymbolicLink(Path.of("/proc", Long.toString(server.pid()), "cwd"));
            return Objects.requireNonNull(data.getParent());
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
