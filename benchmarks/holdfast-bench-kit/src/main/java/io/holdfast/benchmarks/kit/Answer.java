package io.holdfast.benchmarks.kit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a forked JVM has found out, by name. Immutable. */
public record Answer(Map<String, String> values) {

    /** The name under which a JVM reports that it could not do what was asked; the value says why. */
    static final String FAILURE = "failure";

    public Answer {
        values = Map.copyOf(values);
    }

    /** One line per name; {@link #parse} reads them. */
    String lines() {
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue().replace('\n', ' ') + "\n")
                .collect(Collectors.joining());
    }

    static Answer parse(List<String> lines) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return new Answer(values);
    }

    public double number(String name) {
        return Double.parseDouble(text(name));
    }

    public double[] numbers(String name) {
        return Arrays.stream(text(name).split(" ", -1))
                .filter(number -> !number.isEmpty())
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    WaitTimes waits(String name) {
        return WaitTimes.parse(text(name));
    }

    private String text(String name) {
        String text = values.get(name);
        if (text == null) {
            throw new IllegalArgumentException("not told: " + name);
        }
        return text;
    }
}
