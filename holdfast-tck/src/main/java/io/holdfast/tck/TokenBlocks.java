package io.holdfast.tck;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Checks the blocks of fencing tokens that a store has granted, for locks of every kind. Blocks of one name never overlap. A
 * claim that was made after another one had been granted gets a block that begins after the end of the other's block, whether
 * they are writers, readers or permits.
 *
 * <p>A {@link Model} also orders the tokens of calls that overlap in time, but only for exclusive, write and read locks.
 */
public final class TokenBlocks {

    private TokenBlocks() {}

    /** What is wrong with the tokens of the acquires in {@code operations}; empty if nothing is. */
    public static List<String> check(List<Operation> operations) {
        Map<String, List<Operation>> byName = operations.stream()
                .filter(each -> each.kind() == Kind.ACQUIRE)
                .filter(each -> each.outcome() == Outcome.GRANTED)
                .filter(each -> each.token().isPresent())
                .collect(groupingBy(Operation::name, TreeMap::new, toList()));
        List<String> violations = new ArrayList<>();
        for (List<Operation> ofName : byName.values()) {
            checkOverlap(ofName, violations);
            checkOrder(ofName, violations);
        }
        return violations;
    }

    private static void checkOverlap(List<Operation> ofName, List<String> violations) {
        List<Operation> byToken = ofName.stream()
                .sorted(Comparator.comparingLong(each -> each.token().orElseThrow()))
                .toList();
        Operation furthest = byToken.get(0);
        for (Operation next : byToken.subList(1, byToken.size())) {
            if (next.token().orElseThrow() <= furthest.lastToken()) {
                violations.add("Token blocks overlap: " + furthest + " and " + next);
            }
            furthest = next.lastToken() > furthest.lastToken() ? next : furthest;
        }
    }

    /** Goes through the calls by time and remembers the highest token of those that were answered before. */
    private static void checkOrder(List<Operation> ofName, List<String> violations) {
        PriorityQueue<Operation> underWay = new PriorityQueue<>(Comparator.comparingLong(Operation::returned));
        Operation highest = null;
        List<Operation> byCall = ofName.stream()
                .sorted(Comparator.comparingLong(Operation::called))
                .toList();
        for (Operation next : byCall) {
            while (!underWay.isEmpty() && underWay.element().returned() < next.called()) {
                Operation answered = underWay.remove();
                highest = highest == null || answered.lastToken() > highest.lastToken() ? answered : highest;
            }
            if (highest != null && next.token().orElseThrow() <= highest.lastToken()) {
                violations.add("The later grant has the smaller tokens: " + next + " after " + highest);
            }
            underWay.add(next);
        }
    }
}
