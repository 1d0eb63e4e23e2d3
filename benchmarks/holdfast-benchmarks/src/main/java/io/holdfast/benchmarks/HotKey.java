package io.holdfast.benchmarks;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import java.util.List;
import java.util.stream.Stream;

/** What a lock costs when everybody wants it at once. */
record HotKey(Effort effort) {

    Section platform(Jdk jdk) {
        return new Section(
                "hot",
                "Everybody wants one lock: threads that increment a number under it",
                jdk,
                List.of(Metric.RATE, Metric.VARIATION, Metric.WAIT_MEDIAN, Metric.WAIT_P99, Metric.PAIR_BYTES),
                Stream.of(2, 8, 64, 256)
                        .map(threads -> setting(
                                jdk,
                                threads,
                                ThreadKind.PLATFORM,
                                List.of(Contestant.HOLDFAST, Contestant.FAIR_MAP, Contestant.UNFAIR_MAP)))
                        .toList());
    }

    /** Needs a JDK that has virtual threads. */
    Section virtual(Jdk jdk) {
        return new Section(
                "virtual",
                "Everybody wants one lock: virtual threads that increment a number under it",
                jdk,
                List.of(Metric.RATE, Metric.VARIATION, Metric.WAIT_MEDIAN, Metric.WAIT_P99, Metric.UNSERVED),
                List.of(setting(
                        jdk,
                        10_000,
                        ThreadKind.VIRTUAL,
                        List.of(Contestant.HOLDFAST, Contestant.FAIR_MAP, Contestant.FAIR_LOCK))));
    }

    private Setting setting(Jdk jdk, int threads, ThreadKind kind, List<Contestant> contestants) {
        return new Setting(
                String.format("%,d threads", threads),
                contestants.stream()
                        .map(contestant -> entrant(jdk, threads, kind, contestant))
                        .toList(),
                contestants.stream().skip(1).map(Contestant::label).toList());
    }

    private Entrant entrant(Jdk jdk, int threads, ThreadKind kind, Contestant contestant) {
        CrowdPlan plan = new CrowdPlan(contestant, threads, kind, 0, effort.warmUp(), effort.measurement());
        return new Entrant(contestant.label(), new CrowdProbe(jdk, plan));
    }
}
