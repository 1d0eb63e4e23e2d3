package io.holdfast.jdbc.internal.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that only look like PostgreSQL or MySQL are recognised by their versions. */
class UnsupportedServersTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CockroachDB|CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)",
                "CockroachDB|CockroachDB OSS v22.2.7 (aarch64-unknown-linux-gnu, built 2023/03/28 19:47:29, go1.19.6)",
                "YugabyteDB|PostgreSQL 11.2-YB-2.13.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 12.0.1"
                        + " (https://github.com/yugabyte/llvm-project.git bdb147e675d8c87cee72cc1f87c4b82855977d94), 64-bit",
                "YugabyteDB|PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit",
                "TiDB|5.7.25-TiDB-v7.1.0 TiDB Server (Apache License 2.0) Community Edition, MySQL 5.7 compatible",
                "TiDB|8.0.11-TiDB-v8.5.1 TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible",
                "TiDB|8.0.36 TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible",
            })
    void serverWhoseNodesHaveClocksOfTheirOwnIsRefused(String server, String version) {
        assertThat(UnsupportedServers.refusal(version))
                .startsWith(server + " is not supported")
                .contains("clock");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PostgreSQL 18.0 on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit",
                "PostgreSQL 16.4 (Ubuntu 16.4-1.pgdg22.04+1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit",
                "PostgreSQL 15.4 on aarch64-unknown-linux-gnu, compiled by aarch64-unknown-linux-gnu-gcc (GCC) 9.5.0, 64-bit",
                "PostgreSQL 12.0 on x86_64-pc-linux-gnu",
                "H2 2.2.220",
                "H2 2.2.224",
                "H2 2.3.232",
                "H2 2.5.250",
                "8.0.36 MySQL Community Server - GPL",
                "8.0.36-28 Percona Server (GPL), Release 28, Revision 47601f19",
                "11.4.5-MariaDB-log Source distribution",
                "10.11.6-MariaDB-0+deb12u1 Debian 12",
                "10.6.0-MariaDB mariadb.org binary distribution",
                "5.5.5-10.11.6-MariaDB-log Source distribution",
                "10.6.4-1-MariaDB-enterprise-log MariaDB Enterprise Server",
            })
    void serverOfTheDatabaseItselfIsNot(String version) {
        assertThat(UnsupportedServers.refusal(version)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.5.29-MariaDB-log Source distribution",
                "5.5.68-MariaDB",
                "5.5.5-10.3.39-MariaDB-0ubuntu",
                "10.5.23-17-MariaDB-enterprise-log MariaDB Enterprise Server"
            })
    void mariaDbWithoutSkipLockedIsRefused(String version) {
        assertThat(UnsupportedServers.refusal(version)).contains("Use MariaDB 10.6 or later");
    }

    @Test
    void mySqlWithoutSkipLockedIsRefused() {
        assertThat(UnsupportedServers.refusal("5.7.44-log MySQL Community Server (GPL)"))
                .isEqualTo("MySQL 5.7 is not supported: it has no SKIP LOCKED. Use MySQL 8 or later.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"PostgreSQL 11.22 on x86_64-pc-linux-gnu", "PostgreSQL 9.6.24 on x86_64-pc-linux-gnu, 64-bit"})
    void oldPostgresIsRefused(String version) {
        assertThat(UnsupportedServers.refusal(version)).endsWith("Use PostgreSQL 12 or later.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2 1.4.200", "H2 2.1.214", "H2 2.2.80", "H2 2.2.219"})
    void h2WithoutSkipLockedIsRefused(String version) {
        assertThat(UnsupportedServers.refusal(version))
                .startsWith(version.substring(0, 6))
                .endsWith("it has no SKIP LOCKED. Use H2 2.2.220 or later.");
    }

    /** As MySQL says it: "Plugin instructed the server to rollback the current transaction." */
    @Test
    void conflictThatGroupReplicationFindsIsTriedAgain() {
        assertThat(new MySqlDialect().isCollision(new SQLException("rolled back", "40000", 3101)))
                .isTrue();
        assertThat(new MySqlDialect().isCollision(new SQLException("no such table", "42S02", 1146)))
                .isFalse();
    }
}
