package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.ArrayList;
import java.util.List;

/** What a lock costs when all threads of several JVMs want it at once. */
final class HotInManyJvms implements Section<RedisArena> {

    private static final int THREADS = 8;
    private static final int MORE_THREADS = 32;
    private static final String MORE = Contestant.HOLDFAST.label() + ", 4 × 32 threads";
    private static final String ALONE = "one thread alone, bare commands";
    private static final String WORK = "one thread alone, no lock";

    @Override
    public String key() {
        return "hot-many-jvms";
    }

    @Override
    public String title() {
        return "One hot key: 4 JVMs of 8 threads, GET and SET under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_REDISSON,
                Column.TIMES_ALONE,
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
                Contestant.HOLDFAST.should(RedisColumn.TIMES_REDISSON, Bound.AT_LEAST, 10),
                Contestant.HOLDFAST.should(Column.TIMES_ALONE, Bound.AT_LEAST, 1),
                Contestant.HOLDFAST.should(RedisColumn.SENT, Bound.AT_MOST, 0.3),
                new Goal(MORE, RedisColumn.SENT, Bound.AT_MOST, 0.3),
                Contestant.HOLDFAST.should(Column.LEAST_SHARE, Bound.AT_LEAST, 15),
                Contestant.HOLDFAST.should(Column.LOST_UPDATES, Bound.ALWAYS, 0),
                new Goal(MORE, Column.LOST_UPDATES, Bound.ALWAYS, 0),
                Contestant.HOLDFAST.should(Column.STUCK, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        List<CrowdRow> rows = new ArrayList<>();
        List<Contestant> contestants = arena.inTurn(
                round,
                List.of(
                        Contestant.NO_LOCK,
                        Contestant.FLOOR,
                        Contestant.HOLDFAST,
                        Contestant.REDISSON,
                        Contestant.SPRING_SPIN,
                        Contestant.SPRING_PUB_SUB));
        for (Contestant contestant : contestants) {
            int jvms = arena.effort().jvms();
            switch (contestant) {
                case NO_LOCK -> rows.add(CrowdRow.hot(WORK, contestant, 1, 1, new GetAndSet()));
                case FLOOR -> rows.add(CrowdRow.hot(ALONE, contestant, 1, 1, new GetAndSet()));
                default -> rows.add(CrowdRow.hot(contestant.label(), contestant, jvms, THREADS, new GetAndSet()));
            }
            if (contestant == Contestant.HOLDFAST) {
                rows.add(CrowdRow.hot(MORE, contestant, jvms, MORE_THREADS, new GetAndSet()));
            }
        }
        arena.measureHot(rows, round);
        round.divide(Column.RATE, Contestant.REDISSON.label(), RedisColumn.TIMES_REDISSON);
        round.divide(Column.RATE, ALONE, Column.TIMES_ALONE);
    }
}
