package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.redis.Goal.Bound;
import java.util.List;

/** What strict order across processes costs. */
final class HotInOrder implements Section {

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
                Column.TIMES_FAIR,
                Column.SENT,
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
                new Goal(STRICT, Column.TIMES_FAIR, Bound.AT_LEAST, 2),
                new Goal(STRICT, Column.SENT, Bound.AT_MOST, 2.2),
                new Goal(STRICT, Column.LOST_UPDATES, Bound.ALWAYS, 0),
                new Goal(STRICT, Column.STUCK, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(Arena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(round, Contestant.HOLDFAST_STRICT, Contestant.REDISSON_FAIR);
        new HotRows(contestants.stream()
                        .map(contestant -> CrowdRow.hot(
                                contestant.label(), contestant, arena.effort().jvms(), THREADS))
                        .toList())
                .measure(arena, round);
        round.divide(Column.RATE, Contestant.REDISSON_FAIR.label(), Column.TIMES_FAIR);
    }
}
