package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SectionsTest {

    @Test
    void everySectionHasItsPlaceOnThePageAndShowsWhatItsGoalsAreAbout() throws Exception {
        String page = Files.readString(Path.of("../../docs/stores/redis-performance.md"));
        for (Section<RedisArena> each : RedisBench.all()) {
            assertThat(page).contains("<!-- bench: " + each.key() + " -->\n", "<!-- end: " + each.key() + " -->\n");
            assertThat(each.columns())
                    .containsAll(each.goals().stream().map(Goal::column).toList());
        }
    }
}
