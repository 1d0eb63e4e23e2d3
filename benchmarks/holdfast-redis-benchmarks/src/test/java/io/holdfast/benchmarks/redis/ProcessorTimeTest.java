package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorTimeTest {

    @Test
    void isReadAsLinuxWritesIt() {
        ProcessorTime early = ProcessorTime.parse("103454 71226 2\n");
        ProcessorTime late = ProcessorTime.parse("203455 71229 3\n");

        assertThat(late.since(early)).isEqualTo(new ProcessorTime(100_001, 3));
    }
}
