package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two copies of one process image must not make the same claims. */
class ProcessIdTest {

    private static final long LATER = TimeUnit.MILLISECONDS.toNanos(101);

    private final ProcessId id = new ProcessId(5, 1);

    @Test
    void itIsDrawnAnewWhenTheStoreHasReconnected() {
        assertThat(id.current(6, 1)).isEqualTo(id.first());
        assertThat(id.current(7, 2)).isNotEqualTo(id.first()).isEqualTo(id.current(8, 2));
    }

    /** A copy makes its first claim before its store knows that the connection is gone. */
    @Test
    void itIsDrawnAnewForTheFirstClaimAfterAnInterval() {
        assertThat(id.current(5 + LATER, 1)).isNotEqualTo(id.first());
    }

    @Test
    void itIsDrawnAnewWhenTheClockWasSetBackByARestore() {
        assertThat(id.current(4, 1)).isNotEqualTo(id.first());
    }
}
