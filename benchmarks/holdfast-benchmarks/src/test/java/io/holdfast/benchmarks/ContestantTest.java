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

    private static final int THREADS = 8;
    private static final int PASSES = 1_000;

    @ParameterizedTest
    @EnumSource
    void thingBehindOneGateIsGuarded(Contestant contestant) throws Exception {
        Thing thing = contestant.thing();
        try (Gates gates = contestant.open()) {
            Gate changing = gates.gate("apples");
            Gate looking = gates.lookingGate("apples");

            inParallel(() -> {
                changing.pass(token -> thing.change());
                looking.pass(token -> thing.look());
            });
        }
        thing.check(THREADS * PASSES);
    }

    @ParameterizedTest
    @EnumSource
    void thingBehindGatesMadeAnewIsGuarded(Contestant contestant) throws Exception {
        Thing thing = contestant.thing();
        try (Gates gates = contestant.open()) {
            inParallel(() -> {
                gates.gate("apples").pass(token -> thing.change());
                gates.lookingGate("apples").pass(token -> thing.look());
            });
        }
        thing.check(THREADS * PASSES);
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

    private static void inParallel(Runnable pass) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<Void> visitor = () -> {
            start.await();
            for (int i = 0; i < PASSES; i++) {
                pass.run();
            }
            return null;
        };
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<Void> end : executor.invokeAll(Collections.nCopies(THREADS, visitor))) {
                end.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
