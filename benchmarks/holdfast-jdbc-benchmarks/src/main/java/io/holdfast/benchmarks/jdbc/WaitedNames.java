package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** What an uncontended lock costs while the same process waits for many others. */
final class WaitedNames implements Section<JdbcArena> {

    private static final List<Integer> NAMES = List.of(0, 1_000, 4_000);
    private static final Column MEDIAN = new Column("acquire and release, p50, ms");
    private static final Column P99 = new Column("p99, ms");
    private static final Column TIMES_IDLE = new Column("× nothing waited for");

    @Override
    public String key() {
        return "waited-names";
    }

    @Override
    public String title() {
        return "An uncontended lock while the same process waits for many other locks";
    }

    @Override
    public List<Column> columns() {
        return List.of(MEDIAN, P99, TIMES_IDLE);
    }

    @Override
    public List<Goal> goals() {
        return Database.SERVERS.stream()
                .flatMap(database -> NAMES.stream()
                        .skip(1)
                        .map(names ->
                                new Goal(label(database.with(Kind.LEASE_TABLE), names), TIMES_IDLE, Bound.AT_MOST, 3)))
                .toList();
    }

    private static String label(Contestant contestant, int names) {
        return contestant.label() + ", " + String.format("%,d", names) + " names waited for";
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, Contestant.onServers(Kind.LEASE_TABLE, Kind.EARLIER_TABLE))) {
            for (int names : NAMES) {
                measure(arena, round, contestant, names);
            }
            round.divide(MEDIAN, label(contestant, 0), TIMES_IDLE, row -> row.startsWith(contestant.label()));
        }
    }

    private static void measure(JdbcArena arena, Round round, Contestant contestant, int names) {
        String label = label(contestant, names);
        // Whether it works at all is seen with few, too.
        int waited = arena.effort() == Effort.TINY ? Math.min(names, 10) : names;
        Duration window = arena.effort().window().multipliedBy(3);
        arena.runAlone(label, new WaitedNamesTask(arena.addressOf(contestant), contestant, waited, window), round)
                .ifPresent(answer -> {
                    double[] nanos = answer.numbers("nanos");
                    Arrays.sort(nanos);
                    round.put(label, MEDIAN, nanos[nanos.length / 2] / 1e6);
                    round.put(label, P99, nanos[(int) (nanos.length * 0.99)] / 1e6);
                });
    }
}
