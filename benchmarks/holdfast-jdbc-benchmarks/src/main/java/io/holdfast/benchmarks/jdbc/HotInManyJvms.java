package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What a lock costs when all threads of several JVMs want it at once. */
final class HotInManyJvms implements Section<JdbcArena> {

    private static final int THREADS = 8;
    private static final String ALONE = ", one thread alone";

    /** Those whose waiters are told when it is their turn, and do not have to ask. */
    private static final List<Contestant> PUSHED = List.of(
            Database.POSTGRESQL.with(Kind.LEASE_TABLE),
            Database.POSTGRESQL.with(Kind.SESSION_LOCKS),
            Database.MARIADB.with(Kind.SESSION_LOCKS));

    @Override
    public String key() {
        return "hot-many-jvms";
    }

    @Override
    public String title() {
        return "One hot key: 4 JVMs of 8 threads, SELECT and UPDATE of one row in memory under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                JdbcColumn.TIMES_SPRING,
                JdbcColumn.TIMES_NAIVE,
                Column.TIMES_ALONE,
                JdbcColumn.CONNECTIONS,
                JdbcColumn.CONNECTIONS_OF_NAIVE,
                Column.LEAST_SHARE,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.LOST_UPDATES,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Database database : Database.SERVERS) {
            Contestant lease = database.with(Kind.LEASE_TABLE);
            Contestant session = database.with(Kind.SESSION_LOCKS);
            goals.add(lease.should(JdbcColumn.TIMES_SPRING, Bound.AT_LEAST, 5));
            goals.add(session.should(JdbcColumn.TIMES_NAIVE, Bound.AT_LEAST, 1));
            goals.add(session.should(JdbcColumn.CONNECTIONS_OF_NAIVE, Bound.AT_MOST, 0.25));
            for (Contestant ours : List.of(lease, session)) {
                goals.add(ours.should(Column.LOST_UPDATES, Bound.ALWAYS, 0));
                goals.add(ours.should(Column.STUCK, Bound.ALWAYS, 0));
            }
        }
        PUSHED.forEach(ours -> goals.add(ours.should(Column.TIMES_ALONE, Bound.AT_LEAST, 0.9)));
        return goals;
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                Contestant.onServers(
                        Kind.LEASE_TABLE,
                        Kind.EARLIER_TABLE,
                        Kind.SESSION_LOCKS,
                        Kind.SPRING,
                        Kind.NAIVE,
                        Kind.NO_LOCK));
        for (Contestant contestant : contestants) {
            String label = contestant.label();
            if (contestant.kind() == Kind.NO_LOCK) {
                measure(arena, round, label + ALONE, contestant, 1, 1);
                continue;
            }
            measure(arena, round, label, contestant, arena.effort().jvms(), THREADS);
            if (contestant.kind().isOurs()) {
                measure(arena, round, label + ALONE, contestant, 1, 1);
                round.divide(Column.RATE, label + ALONE, Column.TIMES_ALONE, label::equals);
            }
        }
        Predicate<String> crowds = row -> !row.endsWith(ALONE);
        JdbcArena.compare(round, Column.RATE, Kind.SPRING, JdbcColumn.TIMES_SPRING, crowds);
        JdbcArena.compare(round, Column.RATE, Kind.NAIVE, JdbcColumn.TIMES_NAIVE, crowds);
        JdbcArena.compare(round, JdbcColumn.CONNECTIONS, Kind.NAIVE, JdbcColumn.CONNECTIONS_OF_NAIVE, crowds);
    }

    private static void measure(
            JdbcArena arena, Round round, String label, Contestant contestant, int jvms, int threads) {
        CrowdRow row = CrowdRow.hot(label, contestant, jvms, threads, new DataRow.CountUp());
        arena.measureConnections(row, round, jvms * threads).ifPresent(passes -> {
            round.put(label, Column.LEAST_SHARE, passes.leastShare());
            round.put(label, Column.LOST_UPDATES, passes.all() - arena.data(contestant));
        });
    }
}
