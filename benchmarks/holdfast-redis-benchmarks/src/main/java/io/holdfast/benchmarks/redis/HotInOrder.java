package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What strict order across processes costs. */
final class HotInOrder implements Section<RedisArena> {

    private static final int THREADS = 8;
    private static final String STRICT = Contestant.HOLDFAST_STRICT.label();

    @Override
    public String key() {
        return "hot-strict";
    }

    @Override
    public String title() {
        return "Everybody wants one lock, in strict order: 4 JVMs of 8 threads, GET and SET under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_FAIR,
                RedisColumn.SENT,
                Column.LEAST_SHARE,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.LOST_UPDATES,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                new Goal(STRICT, RedisColumn.TIMES_FAIR, Bound.AT_LEAST, 2),
                new Goal(STRICT, RedisColumn.SENT, Bound.AT_MOST, 2.2),
                new Goal(STRICT, Column.LOST_UPDATES, Bound.ALWAYS, 0),
                new Goal(STRICT, Column.STUCK, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        List<Contestant> contestants =
                arena.inTurn(round, List.of(Contestant.HOLDFAST_STRICT, Contestant.REDISSON_FAIR));
        arena.measureHot(
                contestants.stream()
                        .map(contestant -> CrowdRow.hot(
                                contestant.label(), contestant, arena.effort().jvms(), THREADS, new GetAndSet()))
                        .toList(),
                round);
        round.divide(Column.RATE, Contestant.REDISSON_FAIR.label(), RedisColumn.TIMES_FAIR);
    }
}
