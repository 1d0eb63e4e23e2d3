package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One fork of {@link UncontendedBenchmark}.
 *
 * @param method the method that is measured
 * @param names how many names it goes through
 */
record JmhProbe(Effort effort, String method, Contestant contestant, Purpose purpose, int names) implements Probe {

    private static final int ITERATIONS = 4;

    @Override
    public Outcome measure(List<String> jvmArgs) {
        RunResult result = run(jvmArgs);
        return new Outcome(Map.of(
                Metric.PAIR_TIME, result.getPrimaryResult().getScore(),
                Metric.PAIR_BYTES, secondary(result, "gc.alloc.rate.norm")));
    }

    private RunResult run(List<String> jvmArgs) {
        Options options = new OptionsBuilder()
                .include("^" + Pattern.quote(UncontendedBenchmark.class.getName() + "." + method) + "$")
                .param("contestant", contestant.name())
                .param("purpose", purpose.name())
                .param("names", Integer.toString(names))
                .forks(1)
                .jvmArgsAppend(jvmArgs.toArray(String[]::new))
                .warmupIterations(ITERATIONS)
                .warmupTime(part(effort.warmUp()))
                .measurementIterations(ITERATIONS)
                .measurementTime(part(effort.measurement()))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        try {
            return new Runner(options).runSingle();
        } catch (RunnerException failure) {
            throw new IllegalStateException(contestant + " could not be measured", failure);
        }
    }

    private static TimeValue part(Duration whole) {
        return TimeValue.nanoseconds(whole.dividedBy(ITERATIONS).toNanos());
    }

    private static double secondary(RunResult result, String name) {
        Result<?> found = result.getSecondaryResults().get(name);
        if (found == null) {
            throw new IllegalStateException("JMH did not measure " + name);
        }
        return found.getScore();
    }
}
