package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileTest {

    @TempDir
    private Path folder;

    @Test
    void largestSharesComeFirst() {
        Profile profile = new Profile(Map.of("park", 1L, "compute", 3L), Map.of("Lease", 5L), Map.of());

        assertThat(profile.text()).containsSubsequence("time in", "75 %  compute", "25 %  park", "100 %  Lease");
    }

    @Test
    void recordingOfARowIsFoundAndRead() throws Exception {
        CrowdPlan plan = new CrowdPlan(
                Contestant.HOLDFAST, 2, ThreadKind.PLATFORM, 0, Duration.ofMillis(5), Duration.ofMillis(20));
        Section.Entrant entrant = new Section.Entrant("Holdfast, `x`", new CrowdProbe(Jdk.current(), plan));
        Section.Setting setting = new Section.Setting("2 threads", List.of(entrant), List.of());
        Section section = new Section("hot", "A test", Jdk.current(), List.of(Metric.RATE), List.of(setting));
        Recordings recordings = new Recordings(folder);

        new Rounds(1, recordings, progress -> {}).run(section);

        assertThat(recordings.file(section, setting, entrant)).hasFileName("hot-2-threads-holdfast-x-.jfr");
        assertThat(Profile.read(recordings.file(section, setting, entrant)).text())
                .contains("time in", "bytes of");
    }
}
