package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Spread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The outcomes of all rounds, by setting and entrant. Not thread-safe. */
final class Results {

    private record Row(String setting, String entrant) {}

    private final Map<Row, List<Outcome>> outcomes = new HashMap<>();

    void add(String setting, String entrant, Outcome outcome) {
        outcomes.computeIfAbsent(new Row(setting, entrant), absent -> new ArrayList<>())
                .add(outcome);
    }

    /** One metric over the rounds. */
    Spread spread(String setting, String entrant, Metric metric) {
        return Spread.of(of(setting, entrant).stream()
                .mapToDouble(outcome -> outcome.value(metric))
                .toArray());
    }

    /** How many times better than {@code reference}, compared within each round. */
    Spread ratio(String setting, String entrant, String reference, Metric metric) {
        List<Outcome> own = of(setting, entrant);
        List<Outcome> theirs = of(setting, reference);
        double[] ratios = new double[own.size()];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] =
                    metric.ratio(own.get(round).value(metric), theirs.get(round).value(metric));
        }
        return Spread.of(ratios);
    }

    private List<Outcome> of(String setting, String entrant) {
        List<Outcome> rounds = outcomes.get(new Row(setting, entrant));
        if (rounds == null) {
            throw new IllegalArgumentException("not measured: " + setting + ", " + entrant);
        }
        return rounds;
    }
}
