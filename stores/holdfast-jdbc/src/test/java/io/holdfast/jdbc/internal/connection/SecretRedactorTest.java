package io.holdfast.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.LogLines;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A driver's exception is passed on as it is, unless it has a part of the password somewhere. */
class SecretRedactorTest {

    private static final JdbcUrl URL =
            JdbcUrl.of("jdbc:postgresql://db.example:5432/orders?user=app&password=s3%2Dkret-hunter&sslmode=require");

    /** As RDS signs it, shortened. */
    private static final String TOKEN =
            "db.example.rds.amazonaws.com:5432/?Action=connect&DBUser=app&X-Amz-Credential=AKIA5EXAMPLE7"
                    + "%2Fus-east-1%2Frds-db&X-Amz-Signature=9f86d081884c7d659a2feaa0c55ad015";

    static Stream<Exception> leaks() {
        SQLException chained = new SQLException("first");
        chained.setNextException(new SQLException("then s3-kret-hunter"));
        SQLException suppressing = new SQLException("first");
        suppressing.addSuppressed(new RuntimeException("HUNTER"));
        return Stream.of(
                new SQLException("no database at " + URL.text()),
                new SQLException("near 'hunter&sslmode'"),
                new SQLException("near s3%2Dkret"),
                new SQLException("first", new RuntimeException("second", new Error("kret"))),
                new IllegalStateException("xhunterx"),
                new SQLException("a number", new NumberFormatException("for input: abc")),
                chained,
                suppressing);
    }

    @ParameterizedTest
    @MethodSource("leaks")
    void exceptionWithAPartOfThePasswordIsReplaced(Exception failure) {
        SQLException hidden = SecretRedactor.of(URL).redact(failure);

        thrown(hidden)
                .isNotSameAs(failure)
                .hasNoCause()
                .hasMessageContaining(failure.getClass().getName());
        assertThat((Throwable) hidden.getNextException()).isNull();
        assertThat(hidden.getStackTrace()).isEqualTo(failure.getStackTrace());
        assertThat(LogLines.printed(hidden))
                .doesNotContainIgnoringCase("hunter")
                .doesNotContain("s3%2D", "kret");
    }

    @Test
    void codesAndAdviceAreKept() {
        SQLException hidden = SecretRedactor.of(URL).redact(new SQLException("not hunter", "28P01", 7));

        assertThat(hidden.getSQLState()).isEqualTo("28P01");
        assertThat(hidden.getErrorCode()).isEqualTo(7);
        thrown(hidden).hasMessageContaining("The server rejected the user or the password.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FATAL: password authentication failed for user \"app\"",
                "Connection to db.example:5432 refused. Check that the hostname and port are correct.",
                "The server does not support SSL, which sslmode=require needs.",
                "FATAL: database \"orders\" does not exist",
            })
    void exceptionWithoutItIsPassedOn(String message) {
        SQLException failure = new SQLException(message, new RuntimeException(message));
        thrown(SecretRedactor.of(URL).redact(failure)).isSameAs(failure);
        thrown(SecretRedactor.of(JdbcUrl.of("jdbc:postgresql://db.example:5432/orders"))
                        .addPassword(TOKEN)
                        .exclude("app")
                        .redact(failure))
                .isSameAs(failure);
    }

    @ParameterizedTest
    @ValueSource(strings = {TOKEN, "near Signature=9f86d081884c7d659a2feaa0c55ad015", "near AKIA5EXAMPLE7"})
    void tokenOfASupplierIsNotShown(String message) {
        SecretRedactor secrets = SecretRedactor.of(JdbcUrl.of("jdbc:postgresql://db.example:5432/orders"));
        thrown(secrets.addPassword(TOKEN).redact(new SQLException(message))).hasMessageNotContainingAny("9f86", "AKIA");
    }

    @Test
    void exceptionOfAnotherKindBecomesOneOfJdbc() {
        RuntimeException failure = new IllegalStateException("broken");
        thrown(SecretRedactor.of(URL).redact(failure))
                .hasMessageContaining("broken")
                .hasCause(failure);
    }

    /** An SQLException is also something to iterate over. */
    private static AbstractThrowableAssert<?, ? extends Throwable> thrown(Throwable failure) {
        return assertThat(failure);
    }
}
