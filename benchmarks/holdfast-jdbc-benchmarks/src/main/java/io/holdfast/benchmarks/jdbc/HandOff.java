package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.HandOffRow;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** How long it takes from release in one JVM until acquire returns in another one that has waited. */
final class HandOff implements Section<JdbcArena> {

    @Override
    public String key() {
        return "hand-off";
    }

    @Override
    public String title() {
        return "From one JVM to another: release is called here, acquire returns there";
    }

    @Override
    public List<Column> columns() {
        return List.of(Column.HAND_OFF_MEDIAN, JdbcColumn.HAND_OFF_OF_NAIVE, Column.HAND_OFF_P99, Column.HAND_OFFS);
    }

    @Override
    public List<Goal> goals() {
        Contestant table = Database.POSTGRESQL.with(Kind.LEASE_TABLE);
        return List.of(
                table.should(Column.HAND_OFF_MEDIAN, Bound.BELOW, 5),
                table.should(JdbcColumn.HAND_OFF_OF_NAIVE, Bound.AT_MOST, 4),
                Database.POSTGRESQL.with(Kind.SESSION_LOCKS).should(JdbcColumn.HAND_OFF_OF_NAIVE, Bound.AT_MOST, 2.5),
                Database.MARIADB.with(Kind.SESSION_LOCKS).should(JdbcColumn.HAND_OFF_OF_NAIVE, Bound.AT_MOST, 2.5));
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        arena.inTurn(
                        round,
                        Contestant.onServers(
                                Kind.LEASE_TABLE,
                                Kind.EARLIER_TABLE,
                                Kind.SESSION_LOCKS,
                                Kind.EARLIER_SESSIONS,
                                Kind.SPRING,
                                Kind.NAIVE_TOKEN,
                                Kind.NAIVE))
                .forEach(contestant -> new HandOffRow(contestant).measure(arena, round));
        JdbcArena.compare(round, Column.HAND_OFF_MEDIAN, Kind.NAIVE, JdbcColumn.HAND_OFF_OF_NAIVE);
    }
}
