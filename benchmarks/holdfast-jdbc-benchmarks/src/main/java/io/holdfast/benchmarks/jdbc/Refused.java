package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What an attempt costs that is refused because the lock is held. */
final class Refused implements Section<JdbcArena> {

    private static final int ATTEMPTS = 2_000;
    private static final Column MILLIS = new Column("tryAcquire, ms");
    private static final Column BYTES = new Column("bytes of the server's log per attempt");

    @Override
    public String key() {
        return "refused";
    }

    @Override
    public String title() {
        return "tryAcquire of a lock that another process holds";
    }

    @Override
    public List<Column> columns() {
        return List.of(MILLIS, BYTES);
    }

    @Override
    public List<Goal> goals() {
        // A checkpoint or a statistics update in between is a few bytes.
        return Contestant.onServers(Kind.LEASE_TABLE).stream()
                .map(contestant -> contestant.should(BYTES, Bound.BELOW, 1))
                .toList();
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        int attempts = arena.effort() == Effort.TINY ? 20 : ATTEMPTS;
        for (Contestant contestant : arena.inTurn(round, Contestant.onServers(Kind.LEASE_TABLE, Kind.EARLIER_TABLE))) {
            String log = arena.host(contestant).logQuery();
            arena.runAlone(
                            contestant.label(),
                            new RefusedTask(arena.addressOf(contestant), contestant, log, attempts),
                            round)
                    .ifPresent(answer -> {
                        round.put(contestant.label(), MILLIS, answer.number("nanos") / 1e6);
                        round.put(contestant.label(), BYTES, answer.number("bytes"));
                    });
        }
    }
}
