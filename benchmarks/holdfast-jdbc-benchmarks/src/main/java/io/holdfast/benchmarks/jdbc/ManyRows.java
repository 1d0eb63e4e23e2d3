package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.time.Duration;
import java.util.List;

/** What a large table costs: inspection by prefix, the removal of old rows, and a lock meanwhile. */
final class ManyRows implements Section<JdbcArena> {

    private static final int ROWS = 1_000_000;
    private static final double TEN_MILLION_A_DAY = 116;
    private static final Column INSPECT = new Column("inspect by prefix, ms");
    private static final Column REMOVED = new Column("old rows removed per second");
    private static final Column P99 = new Column("acquire and release, p99, ms");
    private static final Column MOST = new Column("longest, ms");

    @Override
    public String key() {
        return "many-rows";
    }

    @Override
    public String title() {
        return "A table of a million names, half of them old";
    }

    @Override
    public List<Column> columns() {
        return List.of(INSPECT, REMOVED, P99, MOST);
    }

    @Override
    public List<Goal> goals() {
        return Contestant.onServers(Kind.LEASE_TABLE).stream()
                .map(contestant -> contestant.should(REMOVED, Bound.AT_LEAST, TEN_MILLION_A_DAY))
                .toList();
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        int rows = arena.effort() == Effort.TINY ? 2_000 : ROWS;
        Duration window = arena.effort().window().multipliedBy(5);
        for (Contestant contestant : arena.inTurn(round, Contestant.onServers(Kind.LEASE_TABLE, Kind.EARLIER_TABLE))) {
            String label = contestant.label();
            String insert = arena.host(contestant).insertNames();
            arena.runAlone(
                            label,
                            new ManyRowsTask(arena.addressOf(contestant), contestant, insert, rows, window),
                            round)
                    .ifPresent(answer -> {
                        round.put(label, INSPECT, answer.number("inspect") / 1e6);
                        round.put(label, REMOVED, answer.number("removed"));
                        round.put(label, P99, answer.number("p99") / 1e6);
                        round.put(label, MOST, answer.number("most") / 1e6);
                    });
        }
    }
}
