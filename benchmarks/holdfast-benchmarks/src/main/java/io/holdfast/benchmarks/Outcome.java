package io.holdfast.benchmarks;

import java.util.EnumMap;
import java.util.Map;

/** What one contestant did in one round. Immutable. */
record Outcome(Map<Metric, Double> values) {

    Outcome {
        values = Map.copyOf(values);
    }

    double value(Metric metric) {
        Double value = values.get(metric);
        if (value == null) {
            throw new IllegalArgumentException("not measured: " + metric);
        }
        return value;
    }

    /** One line per metric; {@link #parse} reads it. */
    String lines() {
        StringBuilder lines = new StringBuilder();
        new EnumMap<>(values)
                .forEach((metric, value) ->
                        lines.append(metric).append('=').append(value).append('\n'));
        return lines.toString();
    }

    static Outcome parse(String lines) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        lines.lines()
                .map(line -> line.split("=", 2))
                .forEach(parts -> values.put(Metric.valueOf(parts[0]), Double.valueOf(parts[1])));
        return new Outcome(values);
    }
}
