package io.holdfast.soak;

import io.holdfast.tck.Span;
import io.holdfast.tck.TokenSweep;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Checks that at no moment more of a name was out, by the belief of those who had it, than there is. */
final class Exclusion {

    private final Losses losses;

    Exclusion(Losses losses) {
        this.losses = losses;
    }

    /** What is wrong; empty if nothing is. */
    List<String> check(List<Section> sections, Map<String, Integer> capacities) {
        List<Section> held = sections.stream().filter(Section::wasHeld).toList();
        List<Span> alone = held.stream()
                .filter(section -> section.role().isAlone())
                .map(Section::span)
                .toList();
        List<String> violations =
                new ArrayList<>(TokenSweep.check(alone, (one, other) -> losses.forgotten(one, other.from())));
        Map<String, List<Section>> byName =
                held.stream().collect(Collectors.groupingBy(Section::name, TreeMap::new, Collectors.toList()));
        byName.forEach((name, its) -> violations.addAll(room(its, capacities.getOrDefault(name, 1))));
        return violations;
    }

    private List<String> room(List<Section> ofOneName, int capacity) {
        List<String> violations = new ArrayList<>();
        List<Section> present = new ArrayList<>();
        List<Section> byBeginning = new ArrayList<>(ofOneName);
        byBeginning.sort(Comparator.comparingLong(Section::from));
        for (Section next : byBeginning) {
            present.removeIf(earlier -> earlier.to() <= next.from());
            if (next.to() > next.from() && !losses.forgotten(next.span(), next.from())) {
                long out = next.units();
                for (Section earlier : present) {
                    out += losses.forgotten(earlier.span(), next.from()) ? 0 : earlier.units();
                }
                if (out > capacity) {
                    violations.add(
                            "More out than there is (" + out + " of " + capacity + "): " + next + " beside " + present);
                }
            }
            present.add(next);
        }
        return violations;
    }
}
