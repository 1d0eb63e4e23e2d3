package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.ThreadKind;
import java.time.Duration;
import java.util.List;

/**
 * A number of threads that all want to pass one gate, again and again.
 *
 * @param looksOfHundred how many of a hundred passes are for looking only
 * @param warmUp how long they do so before anything is counted
 * @param measurement how long they are counted
 */
record CrowdPlan(
        Contestant contestant,
        int threads,
        ThreadKind kind,
        int looksOfHundred,
        Duration warmUp,
        Duration measurement) {

    /** For a command line; {@link #parse} reads it. */
    List<String> args() {
        return List.of(
                contestant.name(),
                Integer.toString(threads),
                kind.name(),
                Integer.toString(looksOfHundred),
                warmUp.toString(),
                measurement.toString());
    }

    static CrowdPlan parse(List<String> args) {
        return new CrowdPlan(
                Contestant.valueOf(args.get(0)),
                Integer.parseInt(args.get(1)),
                ThreadKind.valueOf(args.get(2)),
                Integer.parseInt(args.get(3)),
                Duration.parse(args.get(4)),
                Duration.parse(args.get(5)));
    }
}
