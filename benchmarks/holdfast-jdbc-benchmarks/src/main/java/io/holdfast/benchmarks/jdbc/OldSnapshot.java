package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.time.Duration;
import java.util.List;

/** What a hot name costs on PostgreSQL while an old snapshot keeps all versions of its row. */
final class OldSnapshot implements Section<JdbcArena> {

    private static final Column FIRST = new Column("leases/s at first");
    private static final Column LAST = new Column("leases/s at last");
    private static final Column SIZE = new Column("table, MB");

    @Override
    public String key() {
        return "old-snapshot";
    }

    @Override
    public String title() {
        return "One thread, one name, while another session keeps an old snapshot open for 20 s";
    }

    @Override
    public List<Column> columns() {
        return List.of(FIRST, LAST, SIZE);
    }

    @Override
    public List<Goal> goals() {
        return List.of();
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        Duration time = arena.effort().window().multipliedBy(10);
        List<Contestant> all =
                List.of(Database.POSTGRESQL.with(Kind.LEASE_TABLE), Database.POSTGRESQL.with(Kind.EARLIER_TABLE));
        for (Contestant contestant : arena.inTurn(round, all)) {
            String label = contestant.label();
            arena.runAlone(label, new OldSnapshotTask(arena.addressOf(contestant), contestant, time), round)
                    .ifPresent(answer -> {
                        round.put(label, FIRST, answer.number("first"));
                        round.put(label, LAST, answer.number("last"));
                        round.put(label, SIZE, answer.number("size") / 1e6);
                    });
        }
    }
}
