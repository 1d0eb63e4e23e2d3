package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Task;
import java.util.Map;

/**
 * One thread that takes a lock and gives it back, exactly so often after its cue. What a contestant does only once is behind it
 * by then: connecting, and preparing statements.
 *
 * @param address where the server is
 * @param passes how often
 */
record CountedTask(String address, Contestant contestant, int passes) implements Task {

    /** More than a driver wants to see of a statement before it prepares it. */
    private static final int BEFORE = 20;

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) {
        Guard guard = contestant.open(address).guard("apples");
        pass(guard, BEFORE);
        cue.await();
        pass(guard, passes);
        return new Answer(Map.of());
    }

    private static void pass(Guard guard, int times) {
        for (int i = 0; i < times; i++) {
            guard.acquire();
            guard.release();
        }
    }
}
