package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContestantTest {

    private static final int THREADS = 4;
    private static final int PASSES = 2_000;

    /** Plain on purpose: only the gate keeps its updates. */
    private long count;

    @ParameterizedTest
    @EnumSource
    void noUpdateIsLostBehindOneGate(Contestant contestant) throws Exception {
        try (Gates gates = contestant.open()) {
            Gate gate = gates.gate("apples");
            CyclicBarrier start = new CyclicBarrier(THREADS);

            inParallel(() -> {
                start.await();
                for (int i = 0; i < PASSES; i++) {
                    gate.pass(token -> ++count);
                }
                return null;
            });
        }
        assertThat(count).isEqualTo(THREADS * PASSES);
    }

    @ParameterizedTest
    @EnumSource
    void noUpdateIsLostBehindGatesMadeAnew(Contestant contestant) throws Exception {
        try (Gates gates = contestant.open()) {
            CyclicBarrier start = new CyclicBarrier(THREADS);

            inParallel(() -> {
                start.await();
                for (int i = 0; i < PASSES; i++) {
                    gates.gate("apples").pass(token -> ++count);
                }
                return null;
            });
        }
        assertThat(count).isEqualTo(THREADS * PASSES);
    }

    @ParameterizedTest
    @EnumSource
    void whoIsInsideOneGateCanPassAnother(Contestant contestant) {
        try (Gates gates = contestant.open()) {
            long passed =
                    gates.gate("apples").pass(token -> 1 + gates.gate("pears").pass(other -> 1));

            assertThat(passed).isEqualTo(2);
        }
    }

    private static void inParallel(Callable<?> task) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<?> end : executor.invokeAll(Collections.nCopies(THREADS, task))) {
                end.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
