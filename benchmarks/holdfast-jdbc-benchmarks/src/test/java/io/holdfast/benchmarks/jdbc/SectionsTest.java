package io.holdfast.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SectionsTest {

    @Test
    void everySectionHasItsPlaceOnThePageAndShowsWhatItsGoalsAreAbout() throws Exception {
        String page = Files.readString(Path.of("../../docs/stores/jdbc-performance.md"));

        assertThat(JdbcBench.bench().flaws(page)).isEmpty();
    }
}
