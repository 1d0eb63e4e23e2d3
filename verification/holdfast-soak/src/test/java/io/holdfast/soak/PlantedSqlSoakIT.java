package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A planted bug in SQL. */
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class PlantedSqlSoakIT {

    @Test
    void lockByLookingFirstAndTakingThenHasTwoHoldersAtOnce() {
        Store store = Store.POSTGRESQL;
        Report report = Soak.run(Plan.of(store, 1, 1, Duration.ofSeconds(6), 0, Path.of("target", "soak-naive-sql.log"))
                .with(
                        (url, process) -> new NaiveSqlLocker(store, url, process),
                        (url, process) -> store.data(url),
                        Worker.Habits.CAREFUL));
        assertThat(report.violations()).anyMatch(each -> each.startsWith("Two holders at once"));
        assertThat(report.violations()).noneMatch(each -> each.startsWith("Lost update"));
    }
}
