package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** WRITE_DELAY is a setting of the whole database of H2, so it is the application's. */
class H2WriteDelayTest {

    private static final String DELAY =
            "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'";

    @TempDir
    private Path folder;

    @Test
    void settingOfTheApplicationIsKeptWithAWarning() {
        String url = "jdbc:h2:file:" + folder.resolve("app");
        try (LogLines log = LogLines.ofHoldfast();
                Sql application = Sql.at(url)) {
            application.update("SET WRITE_DELAY 700");
            try (Holdfast holdfast = Kind.LEASE_TABLE.open(url, Eventually.LIMIT)) {
                holdfast.lock("apples").run(lease -> {});
                assertThat(application.number(DELAY)).isEqualTo(700);
            }
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("WRITE_DELAY is 700")
                    .contains(";WRITE_DELAY=0");
        }
    }

    @Test
    void delayOfZeroInTheUrlIsNotWarnedOf() {
        String url = "jdbc:h2:file:" + folder.resolve("locks") + ";WRITE_DELAY=0";
        try (LogLines log = LogLines.ofHoldfast();
                Holdfast holdfast = Kind.LEASE_TABLE.open(url, Eventually.LIMIT)) {
            holdfast.lock("apples").run(lease -> {});
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void databaseInMemoryIsNotWarnedOf() {
        try (LogLines log = LogLines.ofHoldfast();
                Holdfast holdfast = Kind.LEASE_TABLE.open("jdbc:h2:mem:delay;DB_CLOSE_DELAY=-1", Eventually.LIMIT)) {
            holdfast.lock("apples").run(lease -> {});
            assertThat(log.warnings()).isEmpty();
        }
    }
}
