package io.holdfast.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LedgerComparisonTest {

    @Test
    void ledgerAnswersAsTheModelDoes() {
        long from = System.currentTimeMillis();

        for (long seed = from; seed < from + 1_000; seed++) {
            assertThat(LedgerComparison.run(seed)).as("seed " + seed).isEmpty();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void bugPlantedInTheLedgerIsFound(LedgerBug bug, @TempDir Path scratch) throws Exception {
        Optional<EngineMutant.Find> find = EngineMutant.compare(scratch, bug, 2_000);

        assertThat(find).as("seed that finds " + bug).isPresent();
        System.out.printf(
                "comparison: %-35s found by seed %d: %s%n",
                bug, find.get().seed(), find.get().violation());
    }
}
