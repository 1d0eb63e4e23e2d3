package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Jdk;
import java.util.List;

/**
 * One table.
 *
 * @param key what the command line and the page call it
 * @param title what the table shows
 * @param jdk what it is measured on
 * @param columns what is shown; ratios are taken of the first
 * @param settings the groups of rows
 */
record Section(String key, String title, Jdk jdk, List<Metric> columns, List<Setting> settings) {

    /**
     * Entrants that are measured under the same circumstances.
     *
     * @param name the circumstances
     * @param entrants the rows
     * @param references the names of those entrants that the others are compared with
     */
    record Setting(String name, List<Entrant> entrants, List<String> references) {}

    /** A contestant, and how it is measured. */
    record Entrant(String name, Probe probe) {}

    Metric measure() {
        return columns.get(0);
    }

    /** The names of all references, in order. */
    List<String> references() {
        return settings.stream()
                .flatMap(setting -> setting.references().stream())
                .distinct()
                .toList();
    }
}
