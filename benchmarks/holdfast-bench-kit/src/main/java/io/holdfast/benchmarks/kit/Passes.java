package io.holdfast.benchmarks.kit;

import java.util.Arrays;
import java.util.List;

/** What the crowds of all JVMs have done together. */
public record Passes(List<Answer> answers) {

    /** Passes per second. */
    public double rate() {
        return answers.stream()
                .mapToDouble(answer -> counted(answer) * 1e9 / answer.number("nanos"))
                .sum();
    }

    /** All passes that were ever made. */
    public double all() {
        return sum("passes");
    }

    public double cpuMicros() {
        return sum("cpu") / 1e3 / answers.stream().mapToDouble(Passes::counted).sum();
    }

    /** Of the passes per thread. */
    double variation() {
        return Spread.variation(answers.stream()
                .flatMapToDouble(answer -> Arrays.stream(answer.numbers("counts")))
                .toArray());
    }

    /** What the JVM with the fewest passes has got of all of them, in percent. */
    public double leastShare() {
        double[] shares = answers.stream().mapToDouble(Passes::counted).toArray();
        return 100 * Spread.of(shares).least() / Arrays.stream(shares).sum();
    }

    double waitMillis(double share) {
        WaitTimes waits = new WaitTimes();
        answers.forEach(answer -> waits.add(answer.waits("waits")));
        return waits.quantile(share).toNanos() / 1e6;
    }

    public double stuck() {
        return sum("stuck");
    }

    public double failed() {
        return sum("failed");
    }

    public double pinned() {
        return sum("pinned");
    }

    private double sum(String name) {
        return answers.stream().mapToDouble(answer -> answer.number(name)).sum();
    }

    private static double counted(Answer answer) {
        return Arrays.stream(answer.numbers("counts")).sum();
    }
}
