package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/** A short soak with another seed each time. */
final class SqlSoak {

    private SqlSoak() {}

    static void keepsItsPromises(Store store, Duration time) {
        long seed = new Random().nextInt(1_000_000);
        System.out.println("soak on " + store.word() + ": seed " + seed);
        Path log = Path.of("target", "soak-" + store.word() + ".log");
        Report report = Soak.run(Plan.of(store, seed, 1, time, 1, log));
        report.lines().forEach(System.out::println);
        assertThat(report.violations()).as("seed " + seed).isEmpty();
        assertThat(report.sections().keySet()).as("every kind was used").isEqualTo(store.roles());
        assertThat(report.writes(Write.Outcome.ACCEPTED)).isPositive();
    }
}
