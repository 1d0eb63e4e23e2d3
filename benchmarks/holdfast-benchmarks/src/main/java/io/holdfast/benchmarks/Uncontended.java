package io.holdfast.benchmarks;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import io.holdfast.benchmarks.kit.Jdk;
import java.util.List;

/** What a pair of acquire and release costs when it is uncontended. */
record Uncontended(Effort effort) {

    private static final int MANY = 10_000;

    Section section(Jdk jdk) {
        return new Section(
                "uncontended",
                "Uncontended: one thread, acquire and release",
                jdk,
                List.of(Metric.PAIR_TIME, Metric.PAIR_BYTES),
                List.of(setting("one name", 1), setting("10,000 names in turn", MANY)));
    }

    private Setting setting(String name, int names) {
        return new Setting(
                name,
                List.of(
                        new Entrant("Holdfast, lock kept", probe("kept", Contestant.HOLDFAST, names)),
                        new Entrant("Holdfast, `lock(name)` each time", probe("anew", Contestant.HOLDFAST, names)),
                        entrant(Contestant.FAIR_MAP, names),
                        entrant(Contestant.UNFAIR_MAP, names)),
                List.of(Contestant.FAIR_MAP.label(), Contestant.UNFAIR_MAP.label()));
    }

    private Entrant entrant(Contestant contestant, int names) {
        return new Entrant(contestant.label(), probe("kept", contestant, names));
    }

    private Probe probe(String method, Contestant contestant, int names) {
        return new JmhProbe(effort, method, contestant, Purpose.CHANGE, names);
    }
}
