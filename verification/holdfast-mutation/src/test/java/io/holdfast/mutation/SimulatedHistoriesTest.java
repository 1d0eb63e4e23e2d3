package io.holdfast.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.simulator.Plant;
import io.holdfast.simulator.Simulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The simulator as one test among others, with the same histories each time: PIT runs it against every mutant. */
@Timeout(120)
class SimulatedHistoriesTest {

    /** Few: most mutants that the simulator finds are found by these, and in a moment. */
    @Test
    void fewSeedsFindNothing() {
        assertNothingIsFound(1, 20);
    }

    /** Enough to meet every kind of fault many times, and not too many to be run for hundreds of mutants. */
    @Test
    void moreSeedsFindNothing() {
        assertNothingIsFound(21, 130);
    }

    private static void assertNothingIsFound(long from, long seeds) {
        Simulator.Summary summary = Simulator.run(from, seeds, Plant.NONE);

        assertThat(summary.violations())
                .as(() ->
                        summary.failingSeed() == null ? "" : Simulator.replayCommand(summary.failingSeed(), Plant.NONE))
                .isEmpty();
    }
}
