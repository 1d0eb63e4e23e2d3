package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessContentionTest {

    private static final Duration LEASE = Duration.ofMillis(200);

    @TempDir
    private Path folder;

    @Test
    void processesOfACorrectStoreTakeTurns() throws Exception {
        StoreAddress address = address(RowInAFile.Provider.class);
        ProcessContention contention = new ProcessContention("name", address);
        try (Client client = new Client(
                "here",
                Duration.ofSeconds(20),
                environment -> new RowInAFile.Provider().open(address.url(), environment))) {
            contention.run(client, LEASE);
        }

        assertThat(contention.violations()).isEmpty();
        assertThat(contention.sections()).isGreaterThan(10);
    }

    @Test
    void processThatFailsIsReportedWithWhatItPrinted() {
        StoreAddress address = address(Unopenable.class);
        ProcessContention contention = new ProcessContention("name", address);
        try (Client client = new Client(
                "here",
                Duration.ofSeconds(20),
                environment -> new RowInAFile.Provider().open(address.url(), environment))) {
            assertThatThrownBy(() -> contention.run(client, LEASE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("The child process child-1 failed")
                    .hasMessageContaining("planted: it does not open");
        }
    }

    @Test
    void historyArrivesAsItWasSent() {
        HistoryLines history = new HistoryLines(
                List.of(new Span("name", 7, "process-1/thread-0", 10, 20)),
                List.of(
                        Calls.acquire("a", 2, 7, 0, 10).withTokens(8),
                        Calls.releaseUnknown("a", 7, 30),
                        Operation.expire("name", "b", OptionalLong.empty(), 40),
                        Calls.revoke(7, 50, 60)));

        assertThat(HistoryLines.ofLines("name", history.toLines())).isEqualTo(history);
    }

    @Test
    void timesThatMayBeOffAreWidenedByTheMargin() {
        CommonClock clock = new CommonClock(1_000, 5);

        assertThat(clock.align(Calls.acquire("a", 1, 0, 10))).isEqualTo(Calls.acquire("a", 1, 995, 1_015));
        assertThat(clock.align(Calls.releaseUnknown("a", 1, 0))).isEqualTo(Calls.releaseUnknown("a", 1, 995));
        assertThat(clock.align(new Span("name", 1, "a", 0, 20))).hasValue(new Span("name", 1, "a", 1_005, 1_015));
        assertThat(clock.align(new Span("name", 1, "a", 0, 9))).isEmpty();
    }

    private StoreAddress address(Class<? extends StoreProvider> provider) {
        return new StoreAddress(provider, RowInAFile.Bug.NONE + ":" + folder.resolve("locks.row"));
    }

    /** Fails in the child. */
    static final class Unopenable implements StoreProvider {

        @Override
        public Set<String> schemes() {
            return Set.of("row");
        }

        @Override
        public LockStore open(String url, Environment environment) {
            throw new IllegalStateException("planted: it does not open");
        }
    }
}
