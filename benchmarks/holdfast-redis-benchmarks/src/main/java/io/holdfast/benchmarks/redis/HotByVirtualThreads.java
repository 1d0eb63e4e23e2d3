package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.Jdk;
import io.holdfast.benchmarks.ThreadKind;
import io.holdfast.benchmarks.redis.Goal.Bound;
import java.util.List;

/** What a lock costs when very many virtual threads want it at once. */
final class HotByVirtualThreads implements Section {

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
        return "Everybody wants one lock: 1,000 virtual threads of one JVM, nothing to do under it";
    }

    @Override
    public Jdk jdk() {
        return jdk;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                Column.TIMES_REDISSON,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.STUCK,
                Column.PINNED);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ofHoldfast(Column.TIMES_REDISSON, Bound.AT_LEAST, 30),
                Goal.ofHoldfast(Column.STUCK, Bound.ALWAYS, 0),
                Goal.ofHoldfast(Column.PINNED, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(Arena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, Contestant.HOLDFAST, Contestant.REDISSON)) {
            String label = contestant.label();
            new CrowdRow(label, contestant, jdk, 1, THREADS, 1, ThreadKind.VIRTUAL, Inside.NOTHING)
                    .measure(arena, round)
                    .ifPresent(passes -> round.put(label, Column.PINNED, passes.pinned()));
        }
        round.divide(Column.RATE, Contestant.REDISSON.label(), Column.TIMES_REDISSON);
    }
}
