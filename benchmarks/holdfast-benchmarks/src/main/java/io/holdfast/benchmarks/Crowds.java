package io.holdfast.benchmarks;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.util.List;

/** Settings in which crowds are measured, all on one JDK and with one effort. */
record Crowds(Jdk jdk, Effort effort) {

    /** The first contestant is compared with all others. */
    Setting setting(String name, int threads, ThreadKind kind, int looksOfHundred, List<Contestant> contestants) {
        return new Setting(
                name,
                contestants.stream()
                        .map(contestant -> new CrowdPlan(
                                contestant, threads, kind, looksOfHundred, effort.warmUp(), effort.measurement()))
                        .map(plan -> new Entrant(plan.contestant().label(), new CrowdProbe(jdk, plan)))
                        .toList(),
                contestants.stream().skip(1).map(Contestant::label).toList());
    }
}
