package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MariaDbServerIT extends SqlServerChecks {

    @Override
    SqlServer start() {
        return MariaDbServer.start();
    }

    @Override
    Class<?> starter() {
        return Starter.class;
    }

    /** The JVM to be killed. */
    static final class Starter {

        private Starter() {}

        public static void main(String[] args) throws InterruptedException, SQLException {
            tell(MariaDbServer.start(), args);
        }
    }

    @Test
    void settingsAreUsed() {
        try (MariaDbServer mariadb = MariaDbServer.start("max-connections=17")) {
            assertThat(query(mariadb, "select @@max_connections")).isEqualTo("17");
            assertThat(query(mariadb, "select version()")).startsWith("11.4.");
            assertThat(query(mariadb, "select @@innodb_flush_log_at_trx_commit"))
                    .isEqualTo("1");
            assertThat(query(mariadb, "select current_user()")).isEqualTo("holdfast@%");
            assertThat(mariadb.url())
                    .isEqualTo(
                            "jdbc:mariadb://127.0.0.1:" + mariadb.port() + "/holdfast?user=holdfast&password=holdfast");
        }
    }

    @Test
    void connectionsOfOthersAreSeenAndCut() throws SQLException {
        try (MariaDbServer mariadb = MariaDbServer.start();
                var other = connect(mariadb)) {
            String id = query(mariadb, "select min(id) from information_schema.processlist where user = 'holdfast'");
            update(mariadb, "kill " + id);
            assertThat(other.isValid(10)).isFalse();
        }
    }

    /** At its start it removes the files of temporary tables that it finds. */
    @Test
    void serversDoNotTakeEachOthersFilesAway() throws SQLException {
        try (MariaDbServer mariadb = MariaDbServer.start();
                var connection = connect(mariadb);
                var statement = connection.createStatement()) {
            statement.execute("create temporary table a (b int) engine = aria");
            MariaDbServer.start().close();

            assertThatCode(() -> statement.execute("drop table a")).doesNotThrowAnyException();
        }
    }

    @Test
    void wrongSettingIsTold() {
        assertThatThrownBy(() -> MariaDbServer.start("no-such-setting=1"))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no-such-setting");
    }

    @Test
    void clockIsSetForwardAndBack() {
        ServerClock.obstacle().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        try (ServerClock clock = ServerClock.create();
                MariaDbServer mariadb = MariaDbServer.startWithClock(clock)) {
            clock.step(Duration.ofHours(1));
            assertThat(now(mariadb)).isAfter(Instant.now().plusSeconds(3000));
            clock.step(Duration.ofHours(-2));
            assertThat(now(mariadb)).isBefore(Instant.now().minusSeconds(3000));
        }
    }

    private static Instant now(MariaDbServer mariadb) {
        return Instant.ofEpochSecond(Long.parseLong(query(mariadb, "select unix_timestamp()")));
    }
}
