package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.FailedRun;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Locks;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.time.Duration;
import java.util.List;

/** What it costs to hold many locks at once, by a client that is fresh and by one that has done some work before. */
final class Held implements Section<RedisArena> {

    /** Who renews does so three times in a lease. */
    private static final double RENEWALS_PER_SECOND = 3e3 / Locks.LEASE_MILLIS;

    @Override
    public String key() {
        return "held-10000";
    }

    @Override
    public String title() {
        return "10,000 locks held at once and renewed, lease 10 s";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                RedisColumn.RENEWALS_SENT,
                RedisColumn.SHARE_OF_SINGLE,
                RedisColumn.HEAP,
                RedisColumn.LOST,
                RedisColumn.CHURNED,
                RedisColumn.TAKEN,
                RedisColumn.CALLS,
                RedisColumn.LOST_AFTER_CHURN);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Contestant.HOLDFAST.should(RedisColumn.SHARE_OF_SINGLE, Bound.AT_MOST, 0.02),
                Contestant.HOLDFAST.should(RedisColumn.HEAP, Bound.BELOW, 1024),
                Contestant.HOLDFAST.should(RedisColumn.LOST, Bound.ALWAYS, 0),
                Contestant.HOLDFAST.should(RedisColumn.LOST_AFTER_CHURN, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, List.of(Contestant.HOLDFAST, Contestant.REDISSON))) {
            String row = contestant.label();
            try {
                arena.progress("round " + round.number() + ": " + row + ", fresh");
                fresh(arena, round, contestant);
                arena.progress("round " + round.number() + ": " + row + ", after churn");
                afterChurn(arena, round, contestant);
            } catch (FailedRun failed) {
                round.note(row + ": " + failed.reason());
            }
        }
    }

    private void fresh(RedisArena arena, Round round, Contestant contestant) throws FailedRun {
        HeldEffort effort = HeldEffort.of(arena.effort());
        RedisArena.Observed observed = arena.observeSent(
                jdk(),
                Duration.ZERO,
                effort.fresh(),
                new HeldTask(arena.addressOf(contestant), contestant, effort.held(), Duration.ZERO));
        String row = contestant.label();
        double single = effort.held() * RENEWALS_PER_SECOND;
        round.put(row, RedisColumn.RENEWALS_SENT, observed.perSecond());
        round.put(row, RedisColumn.SHARE_OF_SINGLE, observed.perSecond() / single);
        round.put(row, RedisColumn.HEAP, observed.answer().number("bytes"));
        round.put(row, RedisColumn.LOST, observed.answer().number("lost"));
    }

    private void afterChurn(RedisArena arena, Round round, Contestant contestant) throws FailedRun {
        HeldEffort effort = HeldEffort.of(arena.effort());
        RedisArena.Observed observed = arena.observe(
                jdk(),
                effort.churn(),
                effort.afterChurn(),
                new HeldTask(arena.addressOf(contestant), contestant, effort.held(), effort.churn()));
        String row = contestant.label();
        round.put(row, RedisColumn.CHURNED, observed.answer().number("pairs"));
        round.put(row, RedisColumn.TAKEN, observed.answer().number("taken"));
        round.put(row, RedisColumn.CALLS, observed.perSecond());
        round.put(row, RedisColumn.LOST_AFTER_CHURN, observed.answer().number("lost"));
    }
}
