package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.redis.Goal.Bound;
import java.time.Duration;
import java.util.ArrayList;
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
                Column.SERVER_WAITING,
                Column.SERVED);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Queueing queueing : Queueing.values()) {
            goals.add(new Goal(queueing.row(), Column.SCRIPT_TOO_LONG, Bound.ALWAYS, 0));
        }
        goals.add(Goal.ofHoldfast(Column.STEP_LONGEST, Bound.AT_MOST, 5));
        goals.add(Goal.ofHoldfast(Column.SERVED, Bound.ALWAYS, 10_000));
        goals.add(new Goal(Queueing.TOGETHER.row(), Column.SERVED, Bound.ALWAYS, 10_000));
        return goals;
    }

    @Override
    public void measure(Arena arena, Round round) {
        for (Queueing queueing : Queueing.values()) {
            arena.progress("round " + round.number() + ": " + queueing.row());
            try {
                WaitingTask task =
                        new WaitingTask(queueing, queueing.claims(arena.effort().waiters()));
                write(
                        round,
                        queueing.row(),
                        arena.run(jdk(), LIMIT, List.of(task)).get(0));
            } catch (FailedRun failed) {
                round.note(queueing.row() + ": " + failed.reason());
            }
        }
    }

    private void write(Round round, String row, Answer answer) {
        columns().stream()
                .filter(column -> answer.values().containsKey(column.name()))
                .forEach(column -> round.put(row, column, answer.number(column.name())));
        String trouble = answer.values().getOrDefault(WaitingTask.TROUBLE, "");
        if (!trouble.isEmpty()) {
            round.note(row + ": " + trouble);
        }
    }
}
