package io.holdfast.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.jdbc.JdbcStore;
import io.holdfast.testkit.LogLines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs are shown without their secrets. */
class UrlConnectionSourceTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "jdbc:postgresql://db:5432/app?user=app&password=s3cret jdbc:postgresql://db:5432/app",
                "jdbc:postgresql://app:s3cret@db/app jdbc:postgresql://db/app",
                "jdbc:postgresql://[::1]:5432/app?password=s3cret jdbc:postgresql://[::1]:5432/app",
                "jdbc:postgresql:app?password=s3cret jdbc:postgresql:app",
                "jdbc:mariadb://app:s3cret@one,app:s3cret@two:3307/app jdbc:mariadb://two:3307/app",
                "jdbc:mysql://app:s3cret@db:3306/app jdbc:mysql://db:3306/app",
                "jdbc:mysql://app:s3/cret@db:3306/app jdbc:mysql://db:3306/app",
                "jdbc:mysql://address=(host=db)(user=app)(password=s3cret)/app jdbc:mysql://",
                "jdbc:mysql://(host=db,password=s3cret)/app jdbc:mysql://",
                "jdbc:h2:mem:app;USER=app;PASSWORD=s3cret jdbc:h2:mem:app",
                "jdbc:h2:tcp://db:9092/~/a/b;PASSWORD=s3cret jdbc:h2:tcp://db:9092/~/a/b",
                "jdbc:h2:file:/data/app;PASSWORD=s3cret jdbc:h2:file:/data/app",
                "jdbc:sqlite:/data/a@b/locks.db?password=s3cret jdbc:sqlite:/data/a@b/locks.db",
                "jdbc:sqlite:file:///data/locks.db?password=s3cret jdbc:sqlite:file:///data/locks.db",
                "jdbc:oracle:thin:app/s3cret@//db:1521/app jdbc:oracle:",
                "jdbc:db2://db/app:user=app;password=s3cret; jdbc:db2:",
                "jdbc:app/s3cret@db:1521 jdbc:",
                "jdbc:app/s3cret@db jdbc:",
            })
    void whatIsShownNamesTheDatabaseAlone(String url, String shown) {
        assertThat(JdbcUrl.of(url).name()).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"pool=true", "pool", "a=b&pool&c=d", "pool=1"})
    void driverThatKeepsSessionsIsRefusedForTheirLocks(String options) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcStore.sessionLocks("jdbc:mariadb://db/app?password=s3cret&" + options))
                .withMessageContaining("pool=true")
                .withMessageContaining("jdbc:mariadb://db/app. Leave pool=true out");
    }

    @ParameterizedTest
    @CsvSource({"pool=false", "poolName=true", "pool=0", "maxPoolSize=3"})
    void driverThatDoesNotKeepSessionsIsAccepted(String options) {
        assertThat(JdbcStore.sessionLocks("jdbc:mariadb://db/app?" + options)).isNotNull();
    }

    /** Such a password has to be encoded in a URL; if it is not, no part of it is shown all the same. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://app:s3?cret@db/app",
                "jdbc:mysql://app:s3;cret@db/app",
                "jdbc:mysql://app:s3(cret@db/app",
                "jdbc:mysql://app:s3/cret@db/app",
                "jdbc:mysql://app:s3@cret@db/app",
            })
    void passwordWithSignsOfItsOwnIsNotShown(String url) {
        assertThat(JdbcUrl.of(url).name()).doesNotContain("s3").doesNotContain("cret");
    }

    /** The driver of PostgreSQL would log it whole. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db:port/app?password=s3cret",
                "jdbc:postgresql://db?password=s3cret",
                "jdbc:postgresql://db/app/s3cret",
                "jdbc:mariadb:db/app?password=s3cret",
                "jdbc:mysql:db:3306?password=s3cret",
            })
    void malformedUrlIsRefusedWithTheFormThatItShouldHave(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcStore.leaseTable(url))
                .withMessageContaining("://HOST:PORT/DATABASE")
                .withMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql:app",
                "jdbc:postgresql:///app",
                "jdbc:postgresql://db/?user=app",
                "jdbc:postgresql://[::1]/app",
                "jdbc:postgresql://[::1]:5432/app",
                "jdbc:postgresql://one:5432,two,[::1]:5433/my app?password=a/b:c",
                "jdbc:mariadb:sequential://one,two:3306/app",
                "jdbc:mysql:loadbalance://one,two/app",
                "jdbc:mysql://address=(host=one)(port=3306),(host=two)/app",
            })
    void formsThatTheDriversKnowAreAccepted(String url) {
        assertThat(JdbcStore.leaseTable(url)).isNotNull();
    }

    /** The driver would use those, and ignore the supplier. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/app?user=app",
                "jdbc:postgresql://db/app?ssl=true&password=s3cret",
                "jdbc:mysql://app:s3cret@db/app",
                "jdbc:mysql://app@db/app",
                "jdbc:h2:tcp://db/app;USER=app",
            })
    void supplierOfCredentialsIsRefusedBesideThoseOfTheUrl(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        JdbcStore.leaseTable(url).credentials(() -> new PasswordAuthentication("app", new char[0])))
                .withMessageContaining("Leave them out of the URL")
                .withMessageNotContaining("s3cret");
    }

    @Test
    void urlWithoutADriverIsNamedWithoutThePassword() {
        Throwable thrown = catchThrowable(() -> Holdfast.connect("jdbc:nothing://app:s3cret@db/app?password=s3cret"));
        assertThat(thrown).hasMessageContaining("jdbc:nothing:");
        assertThat(LogLines.printed(thrown)).doesNotContain("s3cret");
    }

    @Test
    void databaseThatCannotBeReachedIsReportedAsUnavailable() throws IOException {
        int closed;
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = port.getLocalPort();
        }
        for (String kind : List.of("postgresql", "mariadb")) {
            String name = "jdbc:" + kind + "://127.0.0.1:" + closed + "/app";
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> Holdfast.builder(name + "?user=app&password=s3cret")
                            .failFast()
                            .build())
                    .withMessageContaining(name)
                    .withMessageNotContaining("s3cret");
        }
    }
}
