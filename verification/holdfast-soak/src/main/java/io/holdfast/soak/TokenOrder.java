package io.holdfast.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks that tokens grow: what was asked for after another lease had been given has a larger token, whether or not either was
 * held long enough to be used. After a loss of data too; only a process that had the name before, and does not know of the loss,
 * may still pass on what it had.
 */
final class TokenOrder {

    private final Losses losses;

    TokenOrder(Losses losses) {
        this.losses = losses;
    }

    /** What is wrong; empty if nothing is. */
    List<String> check(List<Section> sections) {
        List<String> violations = new ArrayList<>();
        Map<String, List<Section>> byName = sections.stream()
                .filter(section -> section.role() != Role.PERMITS)
                .collect(Collectors.groupingBy(Section::name, TreeMap::new, Collectors.toList()));
        byName.values().forEach(its -> {
            unique(its, violations);
            growing(its, violations);
        });
        return violations;
    }

    private static void unique(List<Section> ofOneName, List<String> violations) {
        Map<Long, Section> seen = new HashMap<>();
        for (Section each : ofOneName) {
            Section other = seen.putIfAbsent(each.token(), each);
            if (other != null && (each.role().isAlone() || other.role().isAlone())) {
                violations.add("One token, two leases: " + other + " and " + each);
            }
        }
    }

    private void growing(List<Section> ofOneName, List<String> violations) {
        List<Section> given = new ArrayList<>(ofOneName);
        given.sort(Comparator.comparingLong(Section::from));
        List<Section> asked = new ArrayList<>(
                ofOneName.stream().filter(each -> each.role().isAlone()).toList());
        asked.sort(Comparator.comparingLong(Section::called));
        Section largest = null;
        int next = 0;
        for (Section later : asked) {
            for (; next < given.size() && given.get(next).from() <= later.called(); next++) {
                largest = larger(largest, given.get(next));
            }
            if (largest != null && largest.token() > later.token()) {
                Section before = unexcused(given.subList(0, next), later);
                if (before != null) {
                    violations.add("The token does not grow: " + later + " after " + before);
                }
            }
        }
    }

    private @Nullable Section unexcused(List<Section> given, Section later) {
        return given.stream()
                .filter(each ->
                        each.token() > later.token() && !losses.parted(later.name(), later.token(), each.token()))
                .findFirst()
                .orElse(null);
    }

    private static Section larger(@Nullable Section one, Section other) {
        return one == null || other.token() > one.token() ? other : one;
    }
}
