package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrowdTest {

    private static final int ATTEMPTS = 200;

    @ParameterizedTest
    @EnumSource
    void crowdOfEveryContestantKeepsAllUpdatesAndMeasuresWhatTablesShow(Contestant contestant) throws Exception {
        Outcome outcome = new Crowd(plan(contestant)).run();

        HotKey tables = new HotKey(Effort.QUICK);
        assertThat(outcome.values())
                .containsKeys(tables.platform(Jdk.current()).columns().toArray(Metric[]::new))
                .containsKeys(tables.virtual(Jdk.current()).columns().toArray(Metric[]::new));
    }

    @Test
    void lostUpdateIsNoticed() {
        Gates unguarded = name -> body -> body.applyAsLong(0);
        // Without readers, who may notice it first.
        CrowdPlan writers = plan(Contestant.FAIR_MAP, 0);

        assertThatThrownBy(() -> {
                    for (int i = 0; i < ATTEMPTS; i++) {
                        new Crowd(writers).run(unguarded);
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lost");
    }

    @Test
    void gateThatThrowsIsNoticed() {
        IllegalStateException broken = new IllegalStateException("broken");
        Gates throwing = name -> body -> {
            throw broken;
        };

        assertThatThrownBy(() -> new Crowd(plan(Contestant.FAIR_MAP)).run(throwing))
                .hasCause(broken);
    }

    @Test
    void planAndOutcomeSurviveTheWayThroughAnotherJvm() {
        CrowdPlan plan = plan(Contestant.UNFAIR_MAP);
        Outcome outcome = new CrowdProbe(Jdk.current(), plan).measure(List.of());

        assertThat(CrowdPlan.parse(plan.args())).isEqualTo(plan);
        assertThat(Outcome.parse(outcome.lines())).isEqualTo(outcome);
        assertThat(outcome.values()).containsKeys(Metric.RATE, Metric.UNSERVED);
    }

    private static CrowdPlan plan(Contestant contestant) {
        return plan(contestant, 50);
    }

    private static CrowdPlan plan(Contestant contestant, int looksOfHundred) {
        return new CrowdPlan(
                contestant, 4, ThreadKind.PLATFORM, looksOfHundred, Duration.ofMillis(5), Duration.ofMillis(20));
    }
}
