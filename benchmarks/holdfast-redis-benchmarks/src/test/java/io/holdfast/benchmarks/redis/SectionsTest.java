package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SectionsTest {

    @Test
    void everySectionHasItsPlaceOnThePageAndShowsWhatItsGoalsAreAbout() throws Exception {
        String page = Files.readString(Path.of("../../docs/stores/redis-performance.md"));

        assertThat(RedisBench.bench().flaws(page)).isEmpty();
    }
}
