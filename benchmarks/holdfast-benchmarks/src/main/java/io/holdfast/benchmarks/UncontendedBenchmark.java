package io.holdfast.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One thread passes gates that is uncontended. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UncontendedBenchmark {

    @Param
    Contestant contestant = Contestant.HOLDFAST;

    /** What the thread is there for. */
    @Param
    Purpose purpose = Purpose.CHANGE;

    /** How many names the thread goes through in turn. */
    @Param("1")
    int names = 1;

    private long passed;
    private int next;
    private String[] name = {};
    private Gate[] kept = {};
    private Gates gates = unopened -> body -> 0;

    private final LongUnaryOperator body = this::inside;

    @Setup
    public void open() {
        gates = contestant.open();
        name = IntStream.range(0, names).mapToObj(i -> "order:" + i).toArray(String[]::new);
        kept = new Gate[names];
        for (int i = 0; i < names; i++) {
            kept[i] = gate(name[i]);
        }
    }

    @TearDown
    public void close() {
        gates.close();
    }

    /** Through gates that were made before. */
    @Benchmark
    public long kept() {
        return kept[turn()].pass(body);
    }

    /** Through gates that are made for the one pass. */
    @Benchmark
    public long anew() {
        return gate(name[turn()]).pass(body);
    }

    private Gate gate(String name) {
        return purpose == Purpose.LOOK ? gates.lookingGate(name) : gates.gate(name);
    }

    // What comes out depends on the token and on all passes before, so nothing of a pass can be left out.
    private long inside(long token) {
        return token + ++passed;
    }

    private int turn() {
        int turn = next;
        next = turn + 1 == names ? 0 : turn + 1;
        return turn;
    }
}
