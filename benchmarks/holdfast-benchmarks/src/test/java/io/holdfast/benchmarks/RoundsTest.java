package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import io.holdfast.benchmarks.kit.Jdk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private final List<String> measured = new ArrayList<>();

    @Test
    void entrantsTakeTurnsAndChangeTheirOrder() {
        Section section = new Section(
                "test",
                "A test",
                Jdk.current(),
                List.of(Metric.RATE),
                List.of(new Setting("one name", List.of(entrant("ours"), entrant("theirs")), List.of())));

        new Rounds(3, Recorder.NONE, progress -> {}).run(section);

        assertThat(measured).containsExactly("ours", "theirs", "theirs", "ours", "ours", "theirs");
    }

    private Entrant entrant(String name) {
        return new Entrant(name, jvmArgs -> {
            measured.add(name);
            return new Outcome(Map.of(Metric.RATE, 1.0));
        });
    }
}
