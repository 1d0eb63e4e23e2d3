package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What a lock costs when all threads of one JVM want it at once. */
final class HotInOneJvm implements Section<RedisArena> {

    private static final int THREADS = 64;

    @Override
    public String key() {
        return "hot-one-jvm";
    }

    @Override
    public String title() {
        return "One hot key: 64 threads of one JVM, nothing to do under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_REDISSON,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Contestant.HOLDFAST.should(RedisColumn.TIMES_REDISSON, Goal.Bound.AT_LEAST, 50),
                Contestant.HOLDFAST.should(Column.VARIATION, Goal.Bound.BELOW, 0.1),
                Contestant.HOLDFAST.should(Column.STUCK, Goal.Bound.ALWAYS, 0));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                List.of(Contestant.HOLDFAST, Contestant.REDISSON, Contestant.SPRING_SPIN, Contestant.SPRING_PUB_SUB));
        contestants.forEach(contestant -> CrowdRow.of(contestant, THREADS, 1).measure(arena, round));
        round.divide(Column.RATE, Contestant.REDISSON.label(), RedisColumn.TIMES_REDISSON);
    }
}
