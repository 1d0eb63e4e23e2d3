package io.holdfast.benchmarks.kit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** What was measured in one turn of all contestants. Not thread-safe. */
public final class Round {

    private final int number;
    private final Map<String, Map<Column, Double>> rows = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /** @param number counted from 1 */
    public Round(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** What hardly changes from run to run is counted once. */
    public boolean isFirst() {
        return number == 1;
    }

    public void put(String row, Column column, double value) {
        rows.computeIfAbsent(row, absent -> new HashMap<>()).put(column, value);
    }

    /** Something the reader should know. */
    public void note(String note) {
        notes.add("Round " + number + ": " + note);
    }

    public OptionalDouble value(String row, Column column) {
        Double value = rows.getOrDefault(row, Map.of()).get(column);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** Fills a column with the values of another one, divided by that of one row; this row itself is left out. */
    public void divide(Column column, String reference, Column quotient) {
        divide(column, reference, quotient, row -> true);
    }

    /** As above, but only in rows like these. */
    public void divide(Column column, String reference, Column quotient, Predicate<String> like) {
        OptionalDouble divisor = value(reference, column);
        if (divisor.isEmpty()) {
            return;
        }
        for (String row : rows()) {
            OptionalDouble value = value(row, column);
            if (!row.equals(reference) && like.test(row) && value.isPresent()) {
                put(row, quotient, value.getAsDouble() / divisor.getAsDouble());
            }
        }
    }

    /** In the order in which they first came. */
    public List<String> rows() {
        return List.copyOf(rows.keySet());
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }
}
