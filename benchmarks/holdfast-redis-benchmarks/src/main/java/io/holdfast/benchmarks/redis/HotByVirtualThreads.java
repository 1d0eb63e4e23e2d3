package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Inside;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.util.List;

/** What a lock costs when very many virtual threads want it at once. */
final class HotByVirtualThreads implements Section<RedisArena> {

    private static final int THREADS = 1_000;

    private final Jdk jdk;

    /** @param jdk one that has virtual threads */
    HotByVirtualThreads(Jdk jdk) {
        this.jdk = jdk;
    }

    @Override
    public String key() {
        return "virtual";
    }

    @Override
    public String title() {
        return "One hot key: 1,000 virtual threads of one JVM, nothing to do under it";
    }

    @Override
    public Jdk jdk() {
        return jdk;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_REDISSON,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.STUCK,
                RedisColumn.PINNED);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Contestant.HOLDFAST.should(RedisColumn.TIMES_REDISSON, Bound.AT_LEAST, 30),
                Contestant.HOLDFAST.should(Column.STUCK, Bound.ALWAYS, 0),
                Contestant.HOLDFAST.should(RedisColumn.PINNED, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, List.of(Contestant.HOLDFAST, Contestant.REDISSON))) {
            String label = contestant.label();
            new CrowdRow(label, contestant, jdk, 1, THREADS, 1, ThreadKind.VIRTUAL, Inside.NOTHING)
                    .measure(arena, round)
                    .ifPresent(passes -> round.put(label, RedisColumn.PINNED, passes.pinned()));
        }
        round.divide(Column.RATE, Contestant.REDISSON.label(), RedisColumn.TIMES_REDISSON);
    }
}
