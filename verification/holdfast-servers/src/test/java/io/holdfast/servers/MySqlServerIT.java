package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MySqlServerIT extends SqlServerChecks {

    @BeforeEach
    void skipIfItCannotRun() {
        MySqlServer.obstacle().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
    }

    @Override
    SqlServer start() {
        return MySqlServer.start();
    }

    @Override
    Class<?> starter() {
        return Starter.class;
    }

    /** The JVM to be killed. */
    static final class Starter {

        private Starter() {}

        public static void main(String[] args) throws InterruptedException, SQLException {
            tell(MySqlServer.start(), args);
        }
    }

    @Test
    void settingsAreUsed() {
        try (MySqlServer mysql = MySqlServer.start("max-connections=17")) {
            assertThat(query(mysql, "select @@max_connections")).isEqualTo("17");
            assertThat(query(mysql, "select version()")).startsWith("8.0.");
            assertThat(query(mysql, "select @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
            assertThat(query(mysql, "select current_user()")).isEqualTo("holdfast@%");
            assertThat(mysql.url())
                    .isEqualTo("jdbc:mysql://127.0.0.1:" + mysql.port() + "/holdfast?user=holdfast&password=holdfast");
        }
    }

    @Test
    void wrongSettingIsTold() {
        assertThatThrownBy(() -> MySqlServer.start("no-such-setting=1"))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no-such-setting");
    }

    @Test
    void clockIsSetForwardAndBack() {
        ServerClock.obstacle().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        try (ServerClock clock = ServerClock.create();
                MySqlServer mysql = MySqlServer.startWithClock(clock)) {
            clock.step(Duration.ofHours(1));
            assertThat(now(mysql)).isAfter(Instant.now().plusSeconds(3000));
            clock.step(Duration.ofHours(-2));
            assertThat(now(mysql)).isBefore(Instant.now().minusSeconds(3000));
        }
    }

    private static Instant now(MySqlServer mysql) {
        return Instant.ofEpochSecond(Long.parseLong(query(mysql, "select unix_timestamp()")));
    }
}
