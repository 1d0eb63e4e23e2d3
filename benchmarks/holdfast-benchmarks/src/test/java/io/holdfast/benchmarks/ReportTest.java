package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import io.holdfast.benchmarks.kit.Jdk;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void ratiosAreTakenWithinRoundsAndNotOfMedians() {
        Section section = section(
                Metric.PAIR_TIME,
                entrant(Metric.PAIR_TIME, "ours", 10, 40, 90),
                entrant(Metric.PAIR_TIME, "theirs", 20, 40, 30));

        assertThat(rendered(section)).isEqualTo("""
                |  |  | ns per pair | × theirs |
                |---|---|---:|---:|
                | one name | ours | 40.0 (10.0–90.0) | 1.00 (0.333–2.00) |
                |  | theirs | 30.0 (20.0–40.0) |  |
                """);
    }

    @Test
    void higherRateIsBetter() {
        Section section = section(
                Metric.RATE, entrant(Metric.RATE, "ours", 1_234_567), entrant(Metric.RATE, "theirs", 2_469_134));

        assertThat(rendered(section)).contains("| 1,230,000 | 0.500 |");
    }

    @Test
    void allSectionsCanBeRenderedWithoutAGap() {
        for (Section section : Bench.all(Effort.QUICK)) {
            Results results = new Results();
            for (Setting setting : section.settings()) {
                for (Entrant entrant : setting.entrants()) {
                    results.add(setting.name(), entrant.name(), everything());
                }
            }
            assertThat(new Report(section, results).markdown())
                    .as(section.key())
                    .contains(section.measure().heading(), "1.00");
        }
    }

    private static Outcome everything() {
        return new Outcome(Arrays.stream(Metric.values()).collect(Collectors.toMap(metric -> metric, metric -> 7.0)));
    }

    private static String rendered(Section section) {
        return new Report(section, new Rounds(rounds(section), Recorder.NONE, progress -> {}).run(section)).markdown();
    }

    private static int rounds(Section section) {
        return section.measure() == Metric.RATE ? 1 : 3;
    }

    private static Section section(Metric metric, Entrant... entrants) {
        return new Section(
                "test",
                "A test",
                Jdk.current(),
                List.of(metric),
                List.of(new Setting("one name", List.of(entrants), List.of("theirs"))));
    }

    private static Entrant entrant(Metric metric, String name, double... values) {
        Iterator<Double> rounds = Arrays.stream(values).iterator();
        return new Entrant(name, jvmArgs -> new Outcome(Map.of(metric, rounds.next())));
    }
}
