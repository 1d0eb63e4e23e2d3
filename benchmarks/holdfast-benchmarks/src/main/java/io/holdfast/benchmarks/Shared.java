package io.holdfast.benchmarks;

import io.holdfast.benchmarks.Section.Entrant;
import io.holdfast.benchmarks.Section.Setting;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.util.List;
import java.util.stream.Stream;

/** What read/write locks and semaphores cost. */
record Shared(Effort effort) {

    private static final List<Metric> CROWD =
            List.of(Metric.RATE, Metric.VARIATION, Metric.WAIT_MEDIAN, Metric.WAIT_P99, Metric.PAIR_BYTES);

    private static final List<Contestant> READ_WRITE =
            List.of(Contestant.HOLDFAST_READ_WRITE, Contestant.READ_WRITE_MAP, Contestant.READ_WRITE_LOCK);
    private static final List<Contestant> SEMAPHORES =
            List.of(Contestant.HOLDFAST_SEMAPHORE, Contestant.SEMAPHORE_MAP, Contestant.SEMAPHORE);

    Section uncontended(Jdk jdk) {
        return new Section(
                "uncontended-shared",
                "Uncontended: one thread, acquire and release, one name",
                jdk,
                List.of(Metric.PAIR_TIME, Metric.PAIR_BYTES),
                List.of(
                        setting("read lock", Purpose.LOOK, READ_WRITE),
                        setting("write lock", Purpose.CHANGE, READ_WRITE),
                        setting("permit", Purpose.CHANGE, SEMAPHORES)));
    }

    Section readWrite(Jdk jdk) {
        Crowds crowds = new Crowds(jdk, effort);
        return new Section(
                "read-write",
                "Everybody wants one read/write lock",
                jdk,
                CROWD,
                Stream.of(8, 64)
                        .flatMap(threads -> Stream.of(100, 90, 50)
                                .map(reads -> crowds.setting(
                                        threads + " threads, " + reads + " % read",
                                        threads,
                                        ThreadKind.PLATFORM,
                                        reads,
                                        READ_WRITE)))
                        .toList());
    }

    Section semaphore(Jdk jdk) {
        Crowds crowds = new Crowds(jdk, effort);
        return new Section(
                "semaphore",
                "Everybody wants one of " + Contestant.PERMITS + " permits",
                jdk,
                CROWD,
                Stream.of(8, 64)
                        .map(threads ->
                                crowds.setting(threads + " threads", threads, ThreadKind.PLATFORM, 0, SEMAPHORES))
                        .toList());
    }

    private Setting setting(String name, Purpose purpose, List<Contestant> contestants) {
        List<Contestant> others = contestants.subList(1, contestants.size());
        return new Setting(
                name,
                Stream.concat(
                                Stream.of(
                                        entrant("Holdfast, kept", "kept", contestants.get(0), purpose),
                                        entrant("Holdfast, by name each time", "anew", contestants.get(0), purpose)),
                                others.stream().map(other -> entrant(other.label(), "kept", other, purpose)))
                        .toList(),
                others.stream().map(Contestant::label).toList());
    }

    private Entrant entrant(String name, String method, Contestant contestant, Purpose purpose) {
        return new Entrant(name, new JmhProbe(effort, method, contestant, purpose, 1));
    }
}
