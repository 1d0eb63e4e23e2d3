package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.FailedRun;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a long queue costs the server: 10,000 claims wait for one name, and are served one after the other. */
final class Waiting implements Section<RedisArena> {

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
                RedisColumn.SCRIPTS,
                RedisColumn.SCRIPT_MEAN,
                RedisColumn.SCRIPT_LONGEST,
                RedisColumn.SCRIPT_TOO_LONG,
                RedisColumn.STEP_LONGEST,
                RedisColumn.SERVER_WAITING,
                RedisColumn.SERVED);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Queueing queueing : Queueing.values()) {
            goals.add(new Goal(queueing.row(), RedisColumn.SCRIPT_TOO_LONG, Bound.ALWAYS, 0));
        }
        goals.add(Contestant.HOLDFAST.should(RedisColumn.STEP_LONGEST, Bound.AT_MOST, 5));
        goals.add(Contestant.HOLDFAST.should(RedisColumn.SERVED, Bound.ALWAYS, 10_000));
        goals.add(new Goal(Queueing.TOGETHER.row(), RedisColumn.SERVED, Bound.ALWAYS, 10_000));
        return goals;
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        for (Queueing queueing : Queueing.values()) {
            arena.progress("round " + round.number() + ": " + queueing.row());
            try {
                WaitingTask task = new WaitingTask(arena.port(), queueing, queueing.claims(waiters(arena)));
                write(
                        round,
                        queueing.row(),
                        arena.run(jdk(), LIMIT, List.of(task)).get(0));
            } catch (FailedRun failed) {
                round.note(queueing.row() + ": " + failed.reason());
            }
        }
    }

    private static int waiters(RedisArena arena) {
        return arena.effort() == Effort.TINY ? 100 : 10_000;
    }

    private void write(Round round, String row, Answer answer) {
        columns().stream()
                .filter(column -> answer.values().containsKey(column.heading()))
                .forEach(column -> round.put(row, column, answer.number(column.heading())));
        String trouble = answer.values().getOrDefault(WaitingTask.TROUBLE, "");
        if (!trouble.isEmpty()) {
            round.note(row + ": " + trouble);
        }
    }
}
