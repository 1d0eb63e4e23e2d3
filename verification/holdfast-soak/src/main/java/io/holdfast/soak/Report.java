package io.holdfast.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a soak has come to. */
final class Report {

    private static final int MOST_SHOWN = 50;

    private final Store store;
    private final long seed;
    private final long start = System.nanoTime();
    private final Map<Role, Long> sections = new EnumMap<>(Role.class);
    private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
    private final Map<Write.Outcome, Long> writes = new EnumMap<>(Write.Outcome.class);
    private final Map<String, Long> counts = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int losses;
    private int killed;

    Report(Store store, long seed) {
        this.store = store;
        this.seed = seed;
    }

    void add(Records records) {
        records.sections().forEach(each -> sections.merge(each.role(), 1L, Long::sum));
        records.writes().forEach(each -> writes.merge(each.outcome(), 1L, Long::sum));
        records.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
        violations.addAll(records.violations());
    }

    void add(List<String> found) {
        violations.addAll(found);
    }

    void add(Fault fault) {
        faults.merge(fault, 1L, Long::sum);
    }

    void lost(int times) {
        losses += times;
    }

    void killed(int processes) {
        killed += processes;
    }

    List<String> violations() {
        return violations;
    }

    Map<Role, Long> sections() {
        return sections;
    }

    Map<Fault, Long> faults() {
        return faults;
    }

    long writes(Write.Outcome outcome) {
        return writes.getOrDefault(outcome, 0L);
    }

    /** For people to read. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s, seed %d, %.0f s",
                store.word(),
                seed,
                Duration.ofNanos(System.nanoTime() - start).toMillis() / 1e3));
        lines.add("leases " + sum(sections) + ": " + listed(sections));
        lines.add("other ends of a wish: " + listed(counts));
        lines.add("faults " + sum(faults) + ": " + listed(faults));
        lines.add("locks lost " + losses + " times before their end, processes killed " + killed);
        lines.add("fenced writes: accepted " + writes(Write.Outcome.ACCEPTED) + ", rejected "
                + writes(Write.Outcome.REJECTED) + ", unknown " + writes(Write.Outcome.UNKNOWN));
        lines.add("violations " + violations.size());
        violations.stream().limit(MOST_SHOWN).forEach(each -> lines.add("VIOLATION " + each));
        return lines;
    }

    private static long sum(Map<?, Long> numbers) {
        return numbers.values().stream().mapToLong(Long::longValue).sum();
    }

    private static String listed(Map<?, Long> numbers) {
        List<String> parts = new ArrayList<>();
        numbers.forEach((what, count) -> parts.add(what + " " + count));
        return String.join(", ", parts);
    }
}
