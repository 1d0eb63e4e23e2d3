package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PostgresServerIT extends SqlServerChecks {

    @Override
    SqlServer start() {
        return PostgresServer.start();
    }

    @Override
    Class<?> starter() {
        return Starter.class;
    }

    /** The JVM to be killed. */
    static final class Starter {

        private Starter() {}

        public static void main(String[] args) throws InterruptedException, SQLException {
            tell(PostgresServer.start(), args);
        }
    }

    @Test
    void settingsAreUsed() {
        try (PostgresServer postgres = PostgresServer.start("max_connections = 17", "lock_timeout = 3s")) {
            assertThat(query(postgres, "show max_connections")).isEqualTo("17");
            assertThat(query(postgres, "show lock_timeout")).isEqualTo("3s");
            assertThat(query(postgres, "show server_version")).startsWith("18.");
            assertThat(query(postgres, "show fsync")).isEqualTo("on");
            assertThat(query(postgres, "show synchronous_commit")).isEqualTo("on");
            assertThat(query(postgres, "show server_encoding")).isEqualTo("utf8");
            assertThat(postgres.url())
                    .isEqualTo("jdbc:postgresql://127.0.0.1:" + postgres.port() + "/holdfast?user=holdfast");
        }
    }

    @Test
    void wrongSettingIsTold() {
        assertThatThrownBy(() -> PostgresServer.start("no_such_setting = 1"))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no_such_setting");
    }

    @Test
    void serverRunsWhereNamespacesAreForbidden() {
        try (PostgresServer postgres = PostgresServer.start(withoutNamespaces(), List.of())) {
            assertThat(query(postgres, "select 1")).isEqualTo("1");
            postgres.restart();
            assertThat(query(postgres, "select 2")).isEqualTo("2");
        }
    }

    @Test
    void clockIsSetForwardAndBack() {
        skipWithoutClock();
        try (ServerClock clock = ServerClock.create();
                PostgresServer postgres = PostgresServer.startWithClock(clock)) {
            stepForwardAndBack(clock, postgres);
        }
    }

    @Test
    void clockIsSetWhereNamespacesAreForbidden() {
        skipWithoutClock();
        try (ServerClock clock = ServerClock.create();
                PostgresServer postgres = PostgresServer.start(withoutNamespaces(), clock.prefix())) {
            stepForwardAndBack(clock, postgres);
        }
    }

    private static Unprivileged withoutNamespaces() {
        return UserFolder.user() == 0 ? Unprivileged.NOBODY : Unprivileged.SELF;
    }

    private static void skipWithoutClock() {
        ServerClock.obstacle().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
    }

    private static void stepForwardAndBack(ServerClock clock, PostgresServer postgres) {
        clock.step(Duration.ofHours(1));
        assertThat(now(postgres)).isAfter(Instant.now().plusSeconds(3000));
        clock.step(Duration.ofHours(-2));
        assertThat(now(postgres)).isBefore(Instant.now().minusSeconds(3000));
    }

    private static Instant now(PostgresServer postgres) {
        return Instant.ofEpochSecond(
                Long.parseLong(query(postgres, "select cast(extract(epoch from clock_timestamp()) as bigint)")));
    }
}
