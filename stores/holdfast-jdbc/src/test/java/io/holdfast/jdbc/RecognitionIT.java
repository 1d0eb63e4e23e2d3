package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Holdfast;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The product and the settings of a server are checked when a store is opened. A wrapper driver answers like servers that are not available here. */
class RecognitionIT {

    private static SqlServer postgres;
    private static SqlServer mariadb;

    @BeforeAll
    static void start() {
        postgres = PostgresServer.start();
        mariadb = MariaDbServer.start();
    }

    @AfterAll
    static void stop() {
        postgres.close();
        mariadb.close();
    }

    @ParameterizedTest
    @EnumSource
    void cockroachDbIsRefused(Kind kind) throws Exception {
        String version = "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)";
        try (WrapperDriver driver = WrapperDriver.register(
                "other", sql -> sql.equals("SELECT version()") ? "SELECT '" + version + "'" : sql)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> kind.open(driver.wrapped(postgres.url()), Eventually.LIMIT))
                    .withMessageContaining("jdbc:other:postgresql://127.0.0.1")
                    .withMessageContaining("CockroachDB is not supported");
        }
    }

    @ParameterizedTest
    @EnumSource
    void tiDbIsRefused(Kind kind) throws Exception {
        try (WrapperDriver driver = WrapperDriver.register(
                "other", sql -> sql.contains("@@version_comment") ? "SELECT '8.0.11-TiDB-v7.5.0 TiDB Server'" : sql)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> kind.open(driver.wrapped(mariadb.url()), Eventually.LIMIT))
                    .withMessageContaining("TiDB is not supported");
        }
    }

    @Test
    void groupReplicationIsWarnedOf() throws Exception {
        try (LogLines log = LogLines.ofHoldfast();
                WrapperDriver driver = WrapperDriver.register(
                        "other",
                        sql -> sql.endsWith("'group_replication_group_name'")
                                ? "SELECT 'group_replication_group_name', 'ce9be252-2b71-11e6-b8f4-00212844f856'"
                                : sql);
                Holdfast holdfast = Kind.LEASE_TABLE.open(driver.wrapped(mariadb.url()), Eventually.LIMIT)) {
            holdfast.lock("apples").run(lease -> {});

            assertThat(log.warnings()).anyMatch(line -> line.contains("MySQL Group Replication"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void statementsInTheBinaryLogAreRefusedWithWhatToSet(Kind kind) {
        try (MariaDbServer server = MariaDbServer.start("log-bin=bin", "binlog-format=STATEMENT", "server-id=1")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> kind.open(server.url(), Eventually.LIMIT))
                    .withMessageContaining("SET GLOBAL binlog_format = 'ROW'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROW", "MIXED"})
    void rowsInTheBinaryLogAreFine(String format) {
        try (MariaDbServer server = MariaDbServer.start("log-bin=bin", "binlog-format=" + format, "server-id=1")) {
            for (Kind kind : Kind.values()) {
                try (Holdfast holdfast = kind.open(server.url(), Eventually.LIMIT)) {
                    holdfast.lock("apples").run(lease -> {});
                }
            }
        }
    }

    /** Nothing is written to the binary log, so nothing is refused. */
    @Test
    void statementFormatWithoutABinaryLogIsFine() {
        try (MariaDbServer server = MariaDbServer.start("binlog-format=STATEMENT");
                Holdfast holdfast = Kind.LEASE_TABLE.open(server.url(), Eventually.LIMIT)) {
            holdfast.lock("apples").run(lease -> {});
        }
    }
}
