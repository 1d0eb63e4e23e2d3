package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.ArrayList;
import java.util.List;

/** How many connections locks of sessions take when many threads want few of them. */
final class ManySessions implements Section<JdbcArena> {

    private static final int THREADS = 256;
    private static final int NAMES = 8;

    @Override
    public String key() {
        return "sessions-256";
    }

    @Override
    public String title() {
        return "Session locks: 256 threads of one JVM want 8 locks, nothing to do under them";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                JdbcColumn.CONNECTIONS,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Contestant session : Contestant.onServers(Kind.SESSION_LOCKS)) {
            goals.add(session.should(JdbcColumn.CONNECTIONS, Bound.AT_MOST, NAMES + 1));
            goals.add(session.should(Column.STUCK, Bound.ALWAYS, 0));
        }
        return goals;
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        arena.inTurn(round, Contestant.onServers(Kind.SESSION_LOCKS))
                .forEach(contestant -> arena.measureConnections(CrowdRow.of(contestant, THREADS, NAMES), round, 0));
    }
}
