package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    private static final Column TIMES = new Column("× Redisson");

    private final Tried section = new Tried(
            "tried",
            List.of(Column.RATE, TIMES, Column.VARIATION, Column.STUCK),
            List.of(
                    Somebody.US.should(TIMES, Goal.Bound.AT_LEAST, 50),
                    Somebody.US.should(Column.VARIATION, Goal.Bound.BELOW, 0.1),
                    Somebody.US.should(Column.STUCK, Goal.Bound.ALWAYS, 0)));

    @Test
    void ratiosAreTakenWithinRoundsAndGoalsLookAtTheirMedian() {
        Table table = new Table(section, List.of(round(1, 100, 1), round(2, 400, 10), round(3, 90, 1)));

        assertThat(table.markdown())
                .contains("| Holdfast | 100 (90.0–400) | 90.0 (40.0–100) |")
                .contains("| Redisson | 1.00 (1.00–10.0) |  |")
                .contains("| Holdfast | × Redisson ≥ 50 | 90.0 (40.0–100) | yes |")
                .contains("| Holdfast | cov < 0.1 | – | not measured |");
    }

    @Test
    void whatMustAlwaysBeIsNotReachedByTheMedianAlone() {
        Goal goal = Somebody.US.should(Column.STUCK, Goal.Bound.ALWAYS, 0);

        assertThat(goal.isReached(Spread.of(0, 0, 0))).isTrue();
        assertThat(goal.isReached(Spread.of(0, 0, 1))).isFalse();
    }

    @Test
    void whatMustAlwaysBeIsNotReachedIfARoundIsMissing() {
        Round failed = new Round(2);
        Round good = new Round(1);
        good.put("Holdfast", Column.STUCK, 0);

        assertThat(new Table(section, List.of(good)).markdown()).contains("| stuck threads always 0 | 0 | yes |");
        assertThat(new Table(section, List.of(good, failed)).markdown())
                .contains("| stuck threads always 0 | 0 | **no** |");
    }

    @Test
    void exactlyIsExactToTwoDigits() {
        Goal goal = Somebody.US.should(TIMES, Goal.Bound.EXACTLY, 2);

        assertThat(goal.isReached(Spread.of(2.004))).isTrue();
        assertThat(goal.isReached(Spread.of(2.01))).isFalse();
    }

    @Test
    void notesComeAfterTheGoals() {
        Round round = round(1, 100, 1);
        round.note("Redisson: stuck: 3 threads");

        assertThat(new Table(section, List.of(round)).markdown()).endsWith("\n- Round 1: Redisson: stuck: 3 threads\n");
    }

    private static Round round(int number, double ours, double theirs) {
        Round round = new Round(number);
        round.put("Holdfast", Column.RATE, ours);
        round.put("Redisson", Column.RATE, theirs);
        round.divide(Column.RATE, "Redisson", TIMES);
        return round;
    }
}
