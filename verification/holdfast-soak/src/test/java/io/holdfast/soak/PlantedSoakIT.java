package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Planted bugs, which show that the soak would find something; and what a fence makes of one of them. */
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class PlantedSoakIT {

    @Test
    void lockByNaiveSetNxHasTwoHoldersAtOnce() {
        Report report = Soak.run(shortPlan("naive")
                .with(
                        (url, process) -> new NaiveLocker(url),
                        (url, process) -> FencedData.at(url),
                        Worker.Habits.CARELESS));
        assertThat(report.violations()).anyMatch(each -> each.startsWith("Two holders at once"));
        assertThat(report.violations()).noneMatch(each -> each.startsWith("Lost update"));
    }

    @Test
    void carelessWritersLoseUpdatesWithoutAFence() {
        Report report = Soak.run(shortPlan("unfenced")
                .with(Store.REDIS::locker, (url, process) -> new UnfencedData(url), Worker.Habits.CARELESS));
        assertThat(report.violations()).anyMatch(each -> each.startsWith("Lost update"));
        assertThat(report.violations()).noneMatch(each -> each.startsWith("Two holders at once"));
    }

    @Test
    void carelessWritersLoseNothingBehindAFence() {
        Report report = Soak.run(shortPlan("fenced")
                .with(Store.REDIS::locker, (url, process) -> FencedData.at(url), Worker.Habits.CARELESS));
        assertThat(report.violations()).isEmpty();
        assertThat(report.writes(Write.Outcome.REJECTED)).isPositive();
    }

    private static Plan shortPlan(String name) {
        return Plan.of(Store.REDIS, 1, 1, Duration.ofSeconds(8), 0, Path.of("target", "soak-" + name + ".log"));
    }
}
