package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The soak for a minute. */
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class SoakIT {

    @Test
    void holdfastKeepsItsPromisesWhileEverythingFails() {
        long seed = new Random().nextInt(1_000_000);
        System.out.println("soak: seed " + seed);
        Report report =
                Soak.run(Plan.of(Store.REDIS, seed, 2, Duration.ofSeconds(23), 1, Path.of("target", "soak.log")));
        report.lines().forEach(System.out::println);
        assertThat(report.violations()).as("seed " + seed).isEmpty();
        assertThat(report.sections()).as("every kind was used").containsOnlyKeys(Role.values());
        assertThat(report.writes(Write.Outcome.ACCEPTED)).isPositive();
    }
}
