package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.util.List;
import java.util.stream.Stream;

/** What a lock costs when everybody wants it at once. */
record HotKey(Effort effort) {

    Section platform(Jdk jdk) {
        Crowds crowds = new Crowds(jdk, effort);
        return new Section(
                "hot",
                "One hot key: threads that increment a number under it",
                jdk,
                List.of(Metric.RATE, Metric.VARIATION, Metric.WAIT_MEDIAN, Metric.WAIT_P99, Metric.PAIR_BYTES),
                Stream.of(2, 8, 64, 256)
                        .map(threads -> crowds.setting(
                                threads + " threads",
                                threads,
                                ThreadKind.PLATFORM,
                                0,
                                List.of(Contestant.HOLDFAST, Contestant.FAIR_MAP, Contestant.UNFAIR_MAP)))
                        .toList());
    }

    /** Needs a JDK that has virtual threads. */
    Section virtual(Jdk jdk) {
        return new Section(
                "virtual",
                "One hot key: virtual threads that increment a number under it",
                jdk,
                List.of(Metric.RATE, Metric.VARIATION, Metric.WAIT_MEDIAN, Metric.WAIT_P99, Metric.UNSERVED),
                List.of(new Crowds(jdk, effort)
                        .setting(
                                "10,000 threads",
                                10_000,
                                ThreadKind.VIRTUAL,
                                0,
                                List.of(Contestant.HOLDFAST, Contestant.FAIR_MAP, Contestant.FAIR_LOCK))));
    }
}
