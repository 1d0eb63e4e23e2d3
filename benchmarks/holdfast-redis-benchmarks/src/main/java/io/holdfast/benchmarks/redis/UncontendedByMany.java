package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What it costs when many threads of one JVM want a lock each. */
final class UncontendedByMany implements Section<RedisArena> {

    private static final int THREADS = 16;

    @Override
    public String key() {
        return "uncontended-16";
    }

    @Override
    public String title() {
        return "Uncontended: 16 threads of one JVM with a name each";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_FLOOR,
                RedisColumn.TIMES_REDISSON,
                Column.CPU,
                Column.VARIATION,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        return List.of(Contestant.HOLDFAST.should(RedisColumn.TIMES_REDISSON, Goal.Bound.AT_LEAST, 2));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                List.of(
                        Contestant.FLOOR,
                        Contestant.HOLDFAST,
                        Contestant.REDISSON,
                        Contestant.SPRING_SPIN,
                        Contestant.SPRING_PUB_SUB));
        for (Contestant contestant : contestants) {
            CrowdRow.of(contestant, THREADS, THREADS)
                    .measure(arena, round)
                    .ifPresent(passes -> round.put(contestant.label(), Column.CPU, passes.cpuMicros()));
        }
        round.divide(Column.RATE, Contestant.FLOOR.label(), RedisColumn.TIMES_FLOOR);
        round.divide(Column.RATE, Contestant.REDISSON.label(), RedisColumn.TIMES_REDISSON);
    }
}
