package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Section;
import io.holdfast.benchmarks.kit.Spread;
import io.holdfast.benchmarks.kit.Table;
import java.util.EnumSet;
import java.util.Optional;
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
        try (RedisArena arena = new RedisArena(Effort.TINY, OURS::contains, RedisBenchIT::say)) {
            for (Section<RedisArena> section : RedisBench.all()) {
                Table table = Table.measure(section, 1, arena);
                say(table.markdown());
                assertThat(table.rounds()).allSatisfy(round -> {
                    assertThat(round.notes()).as(section.key()).isEmpty();
                    assertThat(round.rows()).as(section.key()).isNotEmpty();
                });
                table.rounds()
                        .get(0)
                        .rows()
                        .forEach(row -> assertThat(table.spread(row, Column.LOST_UPDATES))
                                .as("%s, %s", section.key(), row)
                                .satisfiesAnyOf(
                                        lost -> assertThat(lost).isEmpty(),
                                        lost -> assertThat(lost)
                                                .map(Spread::most)
                                                .isEqualTo(Optional.of(0.0))));
            }
        }
    }

    private static void say(String what) {
        System.out.println(what);
    }
}
