package io.holdfast.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DatabaseAvailabilityTest {

    @ParameterizedTest
    @CsvSource({
        "08001, 0", // refused
        "08004, 1040", // too many connections, MariaDB and MySQL
        "08S01, 1053", // the server shuts down, MariaDB and MySQL
        "40001, 0", // serialization failure
        "42000, 1203", // too many connections of the user, MariaDB and MySQL
        "42000, 1226",
        "53300, 0", // too many connections, PostgreSQL
        "55P03, 0", // lock timeout
        "57014, 0", // statement timeout
        "57P01, 0", // shutdown
        "57P03, 0", // starting up, or in recovery
        "70100, 1927", // connection killed, MariaDB
        "90067, 90067", // connection broken, H2
        "HY000, 1021", // disk full, MariaDB and MySQL
        "HY000, 1129", // host blocked after errors, MariaDB and MySQL
    })
    void stateOfTheServerIsUnavailable(String state, int code) {
        assertThat(DatabaseAvailability.isUnavailable(new SQLException("failed", state, code)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "28P01, 0", // wrong password, PostgreSQL
        "28000, 1045", // wrong password, MariaDB and MySQL
        "28000, 0", // no entry in pg_hba.conf, or wrong password of H2
        "08004, 0", // rejected as it is configured, PostgreSQL
        "3D000, 0", // no such database, PostgreSQL
        "42000, 1044", // access to the database denied, MariaDB and MySQL
        "42000, 1049", // no such database, MariaDB and MySQL
        "42501, 0", // missing privilege, PostgreSQL
        "42000, 1142", // missing privilege, MariaDB and MySQL
        "42P01, 0", // no such table, PostgreSQL
        "42S02, 1146", // no such table, MariaDB and MySQL
        "HY000, 1130", // host not allowed, MariaDB and MySQL
        "90096, 90096", // missing privilege, H2
        ", 0",
    })
    void refusalIsConfiguration(String state, int code) {
        assertThat(DatabaseAvailability.isUnavailable(new SQLException("failed", state, code)))
                .isFalse();
    }

    static Stream<SQLException> networks() {
        SQLException chained = new SQLException("failed");
        chained.setNextException(new SQLException("failed", "08006"));
        return Stream.of(
                new SQLException("failed", new UnknownHostException("nowhere")),
                new SQLException("failed", new RuntimeException(new ConnectException("refused"))),
                new SQLException("failed", new EOFException()),
                new SQLException("failed", new SSLHandshakeException("closed")),
                chained);
    }

    @ParameterizedTest
    @MethodSource("networks")
    void networkThatFailsIsUnavailable(SQLException failure) {
        assertThat(DatabaseAvailability.isUnavailable(failure)).isTrue();
    }

    @Test
    void certificateThatIsNotTrustedIsConfiguration() {
        SSLHandshakeException handshake = new SSLHandshakeException("not trusted");
        handshake.initCause(new CertificateException("not trusted"));

        assertThat(DatabaseAvailability.isUnavailable(new SQLException("failed", "08006", handshake)))
                .isFalse();
    }

    /** As a pool reports it, with the last failure of a connection as the cause. */
    @Test
    void poolFailsAsItsConnectionsFail() {
        assertThat(DatabaseAvailability.isUnavailable(
                        new SQLTransientConnectionException("timed out", "28P01", new SQLException("wrong", "28P01"))))
                .isFalse();
        SQLException refused = new SQLException("refused", "08001", new ConnectException("refused"));
        SQLException timedOut = new SQLTransientConnectionException("timed out", "08001", refused);
        assertThat(DatabaseAvailability.isUnavailable(timedOut)).isTrue();
        assertThat(DatabaseAvailability.isUnavailableBehindPool(timedOut)).isTrue();
    }

    @Test
    void poolThatIsExhaustedDoesNotSayThatTheDatabaseIsUnavailable() {
        SQLException exhausted = new SQLTransientConnectionException("timed out after 500ms");

        assertThat(DatabaseAvailability.isUnavailable(exhausted)).isTrue();
        assertThat(DatabaseAvailability.isUnavailableBehindPool(exhausted)).isFalse();
        assertThat(DatabaseAvailability.isUnavailableBehindPool(new SQLException("Login timeout", "08001", 8001)))
                .isFalse();
        assertThat(DatabaseAvailability.isUnavailableBehindPool(new SQLException("too many", "53300")))
                .isTrue();
        assertThat(DatabaseAvailability.isUnavailableBehindPool(new SQLException("too many", "08004", 1040)))
                .isTrue();
    }

    @Test
    void databaseThatCannotBeUsedForLocksIsConfiguration() {
        SQLException failure = new UnusableDatabaseException("binlog_format", new SQLException("failed", "08006"));

        assertThat(DatabaseAvailability.isUnavailable(failure)).isFalse();
    }
}
