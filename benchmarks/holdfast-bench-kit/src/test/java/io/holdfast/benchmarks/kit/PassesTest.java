package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class PassesTest {

    private static final Offset<Double> NEARLY = within(1e-9);

    private final Passes passes = new Passes(List.of(answer("1 3", 2_000_000_000L), answer("6 6", 1_000_000_000L)));

    @Test
    void ratesOfAllJvmsAreAdded() {
        assertThat(passes.rate()).isEqualTo(2.0 + 12.0, NEARLY);
    }

    @Test
    void leastShareIsThatOfAJvmAndNotOfAThread() {
        assertThat(passes.leastShare()).isEqualTo(25, NEARLY);
    }

    @Test
    void variationIsThatOfThreads() {
        assertThat(passes.variation()).isEqualTo(Math.sqrt(4.5) / 4, NEARLY);
    }

    @Test
    void processorTimeIsSharedByAllCountedPasses() {
        assertThat(passes.cpuMicros()).isEqualTo(1, NEARLY);
    }

    @Test
    void waitsAreThoseOfAllJvms() {
        assertThat(passes.waitMillis(1)).isEqualTo(1.048576, NEARLY);
    }

    private static Answer answer(String counts, long nanos) {
        WaitTimes waits = new WaitTimes();
        waits.record(1 << 20);
        return new Answer(
                Map.of("counts", counts, "nanos", Long.toString(nanos), "cpu", "8000", "waits", waits.line()));
    }
}
