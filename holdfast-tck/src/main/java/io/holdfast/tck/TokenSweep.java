package io.holdfast.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Checks the history of exclusive locks, fast: tokens give the order, so one sweep per name in that order is enough.
 *
 * <p>In a correct history, tokens of a name are unique, a larger token never begins before a smaller one, and the spans of
 * a name do not overlap. The sweep remembers the latest end seen so far, because an overlap need not be with the
 * neighbour.
 */
public final class TokenSweep {

    private TokenSweep() {}

    /** What is wrong with {@code spans}; empty if nothing is. */
    public static List<String> check(List<Span> spans) {
        return check(spans, (earlier, later) -> false);
    }

    /**
     * As {@link #check(List)}, but two spans that {@code excused} accepts (the smaller token, the larger one) may overlap
     * or begin in the other order: a store lost its data, or a lease was taken away by force, and its process, which does
     * not know it yet, passed it on. Tokens must be unique even then: that is what a fence needs.
     */
    public static List<String> check(List<Span> spans, BiPredicate<Span, Span> excused) {
        Map<String, List<Span>> byName =
                spans.stream().collect(Collectors.groupingBy(Span::name, TreeMap::new, Collectors.toList()));
        List<String> violations = new ArrayList<>();
        for (List<Span> ofName : byName.values()) {
            ofName.sort(Comparator.comparingLong(Span::token));
            sweep(ofName, excused, violations);
        }
        return violations;
    }

    private static void sweep(List<Span> byToken, BiPredicate<Span, Span> excused, List<String> violations) {
        Span latestEnd = byToken.get(0);
        Span before = byToken.get(0);
        for (Span span : byToken.subList(1, byToken.size())) {
            if (span.token() == before.token()) {
                violations.add("One token, two leases: " + before + " and " + span);
            } else if (span.from() < before.from() && !excused.test(before, span)) {
                violations.add("The larger token began first: " + span + " before " + before);
            }
            boolean forgotten = false;
            if (span.from() < latestEnd.to()) {
                forgotten = excused.test(latestEnd, span);
                if (!forgotten) {
                    violations.add("Two holders at once: " + latestEnd + " and " + span);
                }
            }
            before = span;
            // A span that is excused from now on must not stand before one that is not.
            if (forgotten || span.to() > latestEnd.to()) {
                latestEnd = span;
            }
        }
    }
}
