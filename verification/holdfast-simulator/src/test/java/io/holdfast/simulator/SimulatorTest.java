package io.holdfast.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatorTest {

    /** Fresh seeds in every build: 500, or 4,000 in the full profile; {@code -Dholdfast.seeds=20000} for more. */
    private static final long SEEDS = Long.getLong("holdfast.seeds", 500);

    @Test
    void seedsThatOnceFoundSomethingFindNothing() {
        for (long seed : Simulator.knownSeeds()) {
            Simulator.Summary summary = Simulator.run(seed, 1, Plant.NONE);

            assertThat(summary.violations())
                    .as(() -> Simulator.replayCommand(seed, Plant.NONE))
                    .isEmpty();
        }
    }

    @Test
    void freshSeedsFindNothing() {
        long from = System.currentTimeMillis();

        Simulator.Summary summary = Simulator.run(from, SEEDS, Plant.NONE);

        assertThat(summary.violations())
                .as(() ->
                        summary.failingSeed() == null ? "" : Simulator.replayCommand(summary.failingSeed(), Plant.NONE))
                .isEmpty();
        assertThat(summary.leasesByRole()).containsOnlyKeys(Role.values());
        assertThat(summary.leases()).isGreaterThan(SEEDS);
        assertThat(summary.writes()).isGreaterThan(SEEDS);
        System.out.printf("simulator: %s, from seed %d, no violation%n", summary, from);
    }

    @Test
    void aSeedAlwaysGivesTheSameHistory() {
        for (long seed = 1; seed <= 50; seed++) {
            StringBuilder once = new StringBuilder();
            StringBuilder again = new StringBuilder();
            Simulation.run(seed, Plant.NONE, once);
            Simulation.run(seed, Plant.NONE, again);

            assertThat(again.toString()).isEqualTo(once.toString()).isNotEmpty();
        }
    }

    /** A bug in code that the two share would be in both, and so in neither's eyes. */
    @Test
    void simulatorUsesNothingInternalOfTheEngine() throws IOException {
        Path sources = Path.of(System.getProperty("basedir", "."), "src", "main", "java");
        try (Stream<Path> files =
                Files.walk(sources).filter(file -> file.toString().endsWith(".java"))) {
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(file).content().doesNotContain("io.holdfast.internal"));
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void bugPlantedInTheStoreIsFound(Plant plant) {
        Simulator.Summary summary = Simulator.run(1, 5_000, plant);

        assertThat(summary.failingSeed()).as("seed that finds " + plant).isNotNull();
        System.out.printf(
                "simulator: %-35s found by seed %d: %s%n",
                plant, summary.failingSeed(), brief(summary.violations().get(0)));
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void bugPlantedInTheEngineIsFound(Bug bug, @TempDir Path scratch) throws Exception {
        Optional<EngineMutant.Find> find = EngineMutant.simulate(scratch, bug, 10_000);

        assertThat(find).as("seed that finds " + bug).isPresent();
        System.out.printf(
                "simulator: %-35s found by seed %d: %s%n",
                bug, find.get().seed(), brief(find.get().violation()));
    }

    private static String brief(String violation) {
        return violation.length() <= 120 ? violation : violation.substring(0, 120) + "…";
    }
}
