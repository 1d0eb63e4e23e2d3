package io.holdfast.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** All that is reported, kept in memory. */
final class Records implements Journal {

    private final Queue<Section> sections = new ConcurrentLinkedQueue<>();
    private final Queue<Write> writes = new ConcurrentLinkedQueue<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();

    @Override
    public void section(Section section) {
        sections.add(section);
    }

    @Override
    public void write(Write write) {
        writes.add(write);
    }

    @Override
    public void count(String what) {
        counts.computeIfAbsent(what, any -> new AtomicLong()).incrementAndGet();
    }

    @Override
    public void violation(String what) {
        violations.add(what);
    }

    /** A report of another process, as its {@link Printer} has put it. */
    void hear(String line) {
        String report = line.substring(2);
        switch (line.charAt(0)) {
            case 'S' -> section(Section.ofLine(report));
            case 'W' -> write(Write.ofLine(report));
            case 'C' -> count(report);
            case 'V' -> violation(report);
            default -> violation("A process has said: " + line);
        }
    }

    List<Section> sections() {
        return new ArrayList<>(sections);
    }

    List<Write> writes() {
        return new ArrayList<>(writes);
    }

    List<String> violations() {
        return new ArrayList<>(violations);
    }

    Map<String, Long> counts() {
        Map<String, Long> copy = new TreeMap<>();
        counts.forEach((what, count) -> copy.put(what, count.get()));
        return copy;
    }
}
