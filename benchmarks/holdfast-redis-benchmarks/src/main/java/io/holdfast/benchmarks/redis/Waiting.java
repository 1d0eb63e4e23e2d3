package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.redis.Goal.Bound;
import java.time.Duration;
import java.util.List;

/** What a long queue costs the server: 10,000 claims wait for one name, and are served one after the other. */
final class Waiting implements Section {

    /** Far more than it takes. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public String key() {
        return "waiters-10000";
    }

    @Override
    public String title() {
        return "10,000 claims wait for one name: how long the server's scripts take";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.SCRIPTS,
                Column.SCRIPT_MEAN,
                Column.SCRIPT_LONGEST,
                Column.SCRIPT_TOO_LONG,
                Column.STEP_LONGEST,
                Column.STEP_TOO_LONG,
                Column.SERVER_WAITING,
                Column.SERVED);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ofHoldfast(Column.SCRIPT_TOO_LONG, Bound.ALWAYS, 0),
                Goal.ofHoldfast(Column.STEP_TOO_LONG, Bound.ALWAYS, 0),
                Goal.ofHoldfast(Column.SERVED, Bound.ALWAYS, 10_000),
                new Goal(WaitingTask.Arrival.TOGETHER.row(), Column.SCRIPT_TOO_LONG, Bound.ALWAYS, 0),
                new Goal(WaitingTask.Arrival.TOGETHER.row(), Column.SERVED, Bound.ALWAYS, 10_000));
    }

    @Override
    public void measure(Arena arena, Round round) {
        for (WaitingTask.Arrival arrival : WaitingTask.Arrival.values()) {
            arena.progress("round " + round.number() + ": " + arrival.row());
            try {
                WaitingTask task = new WaitingTask(arrival, arena.effort().waiters());
                write(
                        round,
                        arrival.row(),
                        arena.run(jdk(), LIMIT, List.of(task)).get(0));
            } catch (FailedRun failed) {
                round.note(arrival.row() + ": " + failed.reason());
            }
        }
    }

    private void write(Round round, String row, Answer answer) {
        columns().stream()
                .filter(column -> answer.values().containsKey(column.name()))
                .forEach(column -> round.put(row, column, answer.number(column.name())));
    }
}
