package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.internal.connection.JdbcUrl;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URLs with the prefix of a wrapper driver work where the wrapper is on the class path, and are refused by name elsewhere. */
class WrapperTest {

    private static final String H2Dialect = "jdbc:h2:mem:wrapped;DB_CLOSE_DELAY=-1";

    @Test
    void wrappedUrlIsUsedAsThatOfTheDatabase() throws Exception {
        try (WrapperDriver driver = WrapperDriver.register("spied", UnaryOperator.identity());
                Holdfast one = Kind.LEASE_TABLE.open(driver.wrapped(H2Dialect), Eventually.LIMIT);
                Holdfast other = Kind.LEASE_TABLE.open(H2Dialect, Eventually.LIMIT)) {
            one.lock("apples")
                    .run(lease -> assertThat(other.lock("apples").tryAcquire()).isEmpty());

            assertThat(driver.connected())
                    .isNotEmpty()
                    .allMatch(properties -> properties.containsKey("NETWORK_TIMEOUT"));
        }
    }

    @Test
    void checksOfTheDatabaseAreMadeBehindTheWrapper() throws Exception {
        try (WrapperDriver driver = WrapperDriver.register("spied", UnaryOperator.identity())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JdbcStore.leaseTable(driver.wrapped("jdbc:h2:mem:wrapped")))
                    .withMessageContaining("DB_CLOSE_DELAY");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JdbcStore.leaseTable(driver.wrapped("jdbc:h2:./wrapped;AUTO_SERVER=TRUE")))
                    .withMessageContaining("AUTO_SERVER");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JdbcStore.sessionLocks(driver.wrapped("jdbc:mariadb://db/app?pool=true")))
                    .withMessageContaining("pool=true");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JdbcStore.leaseTable(driver.wrapped("jdbc:sqlite:/var/lib/locks.db")))
                    .withMessageContaining("'spied'")
                    .withMessageContaining("file:PATH");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "jdbc:otel:postgresql://u:s3cret@db:5432/app?password=s3cret jdbc:otel:postgresql://db:5432/app",
                "jdbc:aws-wrapper:mysql://db/app?user=u&password=s3cret jdbc:aws-wrapper:mysql://db/app",
                "jdbc:tc:postgresql:16-alpine:///app?password=s3cret jdbc:tc:postgresql:16-alpine:///app",
                "jdbc:p6spy:h2:tcp://db/~/app;PASSWORD=s3cret jdbc:p6spy:h2:tcp://db/~/app",
                "jdbc:otel:p6spy:mariadb://u:s3cret@db/app jdbc:otel:p6spy:mariadb://db/app",
                "jdbc:otel:nothing://u:s3cret@db/app jdbc:otel:",
            })
    void wrappedUrlIsShownWithoutThePassword(String url, String shown) {
        assertThat(JdbcUrl.of(url).name()).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:otel:postgresql://db/app?password=s3cret, io.opentelemetry.instrumentation:opentelemetry-jdbc",
        "jdbc:aws-wrapper:postgresql://db/app?password=s3cret, software.amazon.jdbc:aws-advanced-jdbc-wrapper",
        "jdbc:tc:mysql:8.4:///app?password=s3cret, org.testcontainers:jdbc",
        "jdbc:p6spy:mariadb://db/app?password=s3cret, p6spy:p6spy",
        "jdbc:absent:mariadb://db/app?password=s3cret, 'absent'",
    })
    void missingWrapperIsNamedWithWhatToDo(String url, String wrapper) {
        Throwable thrown = catchThrowable(() -> Holdfast.connect(url));
        assertThat(thrown)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Add the wrapper driver")
                .hasMessageContaining(wrapper)
                .hasMessageContaining("or leave it out");
        assertThat(LogLines.printed(thrown)).doesNotContain("s3cret");
    }
}
