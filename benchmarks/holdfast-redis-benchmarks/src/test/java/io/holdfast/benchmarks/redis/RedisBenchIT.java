package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.Bench;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Request;
import io.holdfast.benchmarks.kit.Section;
import io.holdfast.benchmarks.kit.Table;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tries every section out, for so short a time that the numbers mean nothing. */
class RedisBenchIT {

    private static final Set<Contestant> OURS = EnumSet.complementOf(EnumSet.of(
            Contestant.REDISSON, Contestant.REDISSON_FAIR, Contestant.SPRING_SPIN, Contestant.SPRING_PUB_SUB));

    // Longer than it takes, for it starts two dozen JVMs on a machine that may be busy.
    @Test
    @Timeout(300)
    void everySectionComesToAnEndWithoutAComplaint() {
        try (RedisArena arena = new RedisArena(Request.of(Effort.TINY), OURS::contains, Bench::say)) {
            for (Section<RedisArena> section : RedisBench.all()) {
                Table table = Table.measure(section, 1, arena);
                Bench.say(table.markdown());
                assertThat(table.complaints()).as(section.key()).isEmpty();
            }
        }
    }
}
