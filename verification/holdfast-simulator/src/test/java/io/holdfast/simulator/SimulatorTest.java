package io.holdfast.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatorTest {

    /** Fresh seeds in every build; {@code -Dholdfast.seeds=20000} for more. */
    private static final long SEEDS = Long.getLong("holdfast.seeds", 4_000);

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
        assertThat(summary.leases()).isGreaterThan(SEEDS);
        assertThat(summary.writes()).isGreaterThan(SEEDS);
        System.out.printf(
                "simulator: %d histories from seed %d, %d leases, %d fenced writes, no violation%n",
                summary.histories(), from, summary.leases(), summary.writes());
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

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void bugPlantedInTheStoreIsFound(Plant plant) {
        Simulator.Summary summary = Simulator.run(1, 5_000, plant);

        assertThat(summary.failingSeed()).as("seed that finds " + plant).isNotNull();
        System.out.printf(
                "simulator: %-28s found by seed %d: %s%n",
                plant, summary.failingSeed(), summary.violations().get(0));
    }

    /** What is replaced in the engine, and by what. */
    enum Bug {
        PASSES_THE_SAME_TOKEN_TWICE("Tenure", "firstToken + used++", "firstToken + 0 * used++"),
        RENEWAL_COUNTED_FROM_THE_REPLY("Keeper", "new Term(sent, each.", "new Term(engine.now(), each."),
        SLEEP_OF_THE_MACHINE_NOT_NOTICED("Term", "from.nanosUntil(now)", "(now.nanos() - from.nanos())"),
        CLOSE_RELEASES_RUNNING_BODIES(
                "Shutdown",
                "line.lose(hold, \"the Holdfast was closed while the lease was held\")",
                "line.release(hold)"),
        GRANT_FOR_NOBODY_IS_DROPPED(
                "Tenures", "then.release(remove(free));\n            return;", "remove(free);\n            return;"),
        NO_NEW_BID_AFTER_A_LOSS(
                "Tenures",
                "then.lost(hold);\n        if (tenure.holds == null) {",
                "then.lost(hold);\n        wholes++;\n        if (tenure.holds == null) {"),
        NEVER_RENEWS("Upkeep", "due.add(new Keeper.Due(line, tenure, tenure.renewal(length)));", ""),
        NO_MARGIN_FOR_CLOCKS_THAT_DRIFT("Term", "return nanos / 100 + 2_000_000;", "return 0;"),
        RETRY_MAKES_A_NEW_CLAIM("Bids", "then.retry(asked);", "waiting = null;"),
        RELEASE_IS_NEVER_REPEATED("Releaser", "if (failure == null) {", "if (failure == null || tries > 0) {"),
        LAST_COME_FIRST_SERVED("WaiterQueue", "return first;", "return last;");

        private final String className;
        private final String original;
        private final String mutated;

        Bug(String className, String original, String mutated) {
            this.className = className;
            this.original = original;
            this.mutated = mutated;
        }
    }

    @ParameterizedTest
    @EnumSource
    void bugPlantedInTheEngineIsFound(Bug bug, @TempDir Path scratch) throws Exception {
        Long seed = EngineMutant.hunt(scratch, bug.className, bug.original, bug.mutated, 10_000);

        assertThat(seed).as("seed that finds " + bug).isNotNull();
        System.out.printf("simulator: %-34s found by seed %d%n", bug, seed);
    }
}
