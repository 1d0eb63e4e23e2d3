package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.redis.Goal.Bound;
import java.time.Duration;
import java.util.List;

/** What it costs to hold many locks at once, by a client that is fresh and by one that has done some work before. */
final class Held implements Section {

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
                Column.RENEWALS_SENT,
                Column.SHARE_OF_SINGLE,
                Column.HEAP,
                Column.LOST,
                Column.CHURNED,
                Column.TAKEN,
                Column.CALLS,
                Column.LOST_AFTER_CHURN);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ofHoldfast(Column.SHARE_OF_SINGLE, Bound.AT_MOST, 0.02),
                Goal.ofHoldfast(Column.HEAP, Bound.BELOW, 1024),
                Goal.ofHoldfast(Column.LOST, Bound.ALWAYS, 0),
                Goal.ofHoldfast(Column.LOST_AFTER_CHURN, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(Arena arena, Round round) {
        for (Contestant contestant : arena.inTurn(round, Contestant.HOLDFAST, Contestant.REDISSON)) {
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

    private void fresh(Arena arena, Round round, Contestant contestant) throws FailedRun {
        Effort effort = arena.effort();
        Arena.Observed observed = arena.observeSent(
                jdk(), Duration.ZERO, effort.hold(), new HeldTask(contestant, effort.held(), Duration.ZERO));
        String row = contestant.label();
        double single = effort.held() * RENEWALS_PER_SECOND;
        round.put(row, Column.RENEWALS_SENT, observed.perSecond());
        round.put(row, Column.SHARE_OF_SINGLE, observed.perSecond() / single);
        round.put(row, Column.HEAP, observed.answer().number("bytes"));
        round.put(row, Column.LOST, observed.answer().number("lost"));
    }

    private void afterChurn(Arena arena, Round round, Contestant contestant) throws FailedRun {
        Effort effort = arena.effort();
        Arena.Observed observed = arena.observe(
                jdk(),
                effort.churn(),
                effort.holdAfterChurn(),
                new HeldTask(contestant, effort.held(), effort.churn()));
        String row = contestant.label();
        round.put(row, Column.CHURNED, observed.answer().number("pairs"));
        round.put(row, Column.TAKEN, observed.answer().number("taken"));
        round.put(row, Column.CALLS, observed.perSecond());
        round.put(row, Column.LOST_AFTER_CHURN, observed.answer().number("lost"));
    }
}
