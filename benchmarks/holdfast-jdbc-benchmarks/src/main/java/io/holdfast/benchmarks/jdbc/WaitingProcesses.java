package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What a critical section costs the database when many processes wait for the same lock. */
final class WaitingProcesses implements Section<JdbcArena> {

    private static final List<Integer> PROCESSES = List.of(1, 4, 16);
    private static final int MOST = 16;

    @Override
    public String key() {
        return "processes";
    }

    @Override
    public String title() {
        return "Many processes wait for one lock: statements and commits for each critical section of 5 ms";
    }

    @Override
    public List<Column> columns() {
        return List.of(Column.RATE, JdbcColumn.STATEMENTS, JdbcColumn.TRANSACTIONS);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                new Goal(
                        label(Database.POSTGRESQL.with(Kind.LEASE_TABLE), MOST),
                        JdbcColumn.TRANSACTIONS,
                        Bound.AT_MOST,
                        4),
                new Goal(
                        label(Database.MARIADB.with(Kind.LEASE_TABLE), MOST), JdbcColumn.STATEMENTS, Bound.AT_MOST, 8));
    }

    private static String label(Contestant contestant, int processes) {
        return contestant.label() + (processes == 1 ? ", 1 process" : ", " + processes + " processes");
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, Contestant.onServers(Kind.LEASE_TABLE, Kind.EARLIER_TABLE))) {
            for (int processes : PROCESSES) {
                arena.countPasses(
                        contestant,
                        label(contestant, processes),
                        new ProcessesTask(
                                arena.addressOf(contestant),
                                contestant,
                                processes,
                                arena.effort().window().multipliedBy(3)),
                        round);
            }
        }
    }
}
