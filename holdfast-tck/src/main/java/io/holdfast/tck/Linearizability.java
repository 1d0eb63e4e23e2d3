package io.holdfast.tck;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the history of locks of any kind, thoroughly: is there an order of the calls, in keeping with real time, in which
 * a {@link Model} gives the same answers? {@link TokenSweep} is faster, but knows exclusive locks only.
 *
 * <pre>{@code
 * Verdict verdict = Linearizability.check(Model.semaphore(3), history.operations());
 * assertThat(verdict.violations()).isEmpty();
 * }</pre>
 *
 * <p>Histories of 100,000 operations by a handful of clients take seconds. The time grows fast with the number of calls that
 * overlap, so give it a part of what hundreds of threads have done: {@link History#operations(int)}.
 */
public final class Linearizability {

    private record Hold(String client, OptionalLong token) {
        static Hold of(Operation operation) {
            return new Hold(operation.client(), operation.token());
        }
    }

    private Linearizability() {}

    /** Judges each name in {@code operations} by {@code model}. */
    public static Verdict check(Model<?> model, List<Operation> operations) {
        Map<String, List<Operation>> byName =
                operations.stream().collect(groupingBy(Operation::name, TreeMap::new, toList()));
        Verdict.Kind worst = Verdict.Kind.LINEARIZABLE;
        List<String> explanation = new ArrayList<>();
        for (Map.Entry<String, List<Operation>> each : byName.entrySet()) {
            Verdict verdict = checkName(model, each.getValue());
            if (verdict.kind().compareTo(worst) > 0) {
                worst = verdict.kind();
            }
            verdict.explanation().forEach(text -> explanation.add("'" + each.getKey() + "': " + text));
        }
        return new Verdict(worst, explanation);
    }

    private static <S> Verdict checkName(Model<S> model, List<Operation> ofName) {
        List<Operation> all = prepared(ofName);
        List<Operation> calls =
                all.stream().filter(each -> each.kind() != Kind.EXPIRE).toList();
        OrderSearch<S> search = new OrderSearch<>(model, calls);
        if (search.succeeds()) {
            return new Verdict(Verdict.Kind.LINEARIZABLE, List.of());
        }
        if (calls.size() == all.size()) {
            return new Verdict(Verdict.Kind.VIOLATION, search.explanation());
        }
        OrderSearch<S> withExpiry = new OrderSearch<>(model, all);
        if (!withExpiry.succeeds()) {
            return new Verdict(Verdict.Kind.VIOLATION, withExpiry.explanation());
        }
        List<String> overrun = new ArrayList<>();
        withExpiry.order().stream()
                .filter(each -> each.kind() == Kind.EXPIRE)
                .forEach(each -> overrun.add("A lease was overrun: " + each));
        overrun.addAll(search.explanation());
        return new Verdict(Verdict.Kind.OVERRUN, overrun);
    }

    /**
     * What there is to explain. A refused acquire says nothing, and neither does a renewal without an answer that would have
     * given nothing back. A lease that was released or revoked in time did not end by itself: not before, or the release would
     * not have been granted, and not after. A token that no acquire of the client was given may be of one whose answer was
     * lost, and is only about what nobody saw a token of.
     */
    private static List<Operation> prepared(List<Operation> recorded) {
        Set<String> mayHoldUnseen = recorded.stream()
                .filter(each -> each.kind() == Kind.ACQUIRE && each.mayNotHaveHappened())
                .map(Operation::client)
                .collect(toCollection(TreeSet::new));
        List<Operation> ofName = revocationsAimed(recorded, mayHoldUnseen);
        Map<Hold, List<Operation>> acquired = granted(ofName, Kind.ACQUIRE);
        Map<Hold, List<Operation>> released = granted(ofName, Kind.RELEASE);
        Map<Hold, List<Operation>> revoked = granted(ofName, Kind.REVOKE);
        return ofName.stream()
                .filter(each -> each.kind() != Kind.ACQUIRE || each.outcome() != Outcome.REFUSED)
                .filter(each -> each.kind() != Kind.RENEW
                        || !each.mayNotHaveHappened()
                        || acquired.getOrDefault(Hold.of(each), List.of()).stream()
                                .anyMatch(acquire -> acquire.units() > each.units()))
                .filter(each -> each.kind() != Kind.EXPIRE
                        || acquired.getOrDefault(Hold.of(each), List.of()).size() != 1
                        || !(released.containsKey(Hold.of(each)) || revoked.containsKey(Hold.of(each))))
                .map(each -> mayHoldUnseen.contains(each.client())
                                && each.outcome() != Outcome.REFUSED
                                && each.kind() != Kind.ACQUIRE
                                && each.token().isPresent()
                                && !acquired.containsKey(Hold.of(each))
                        ? each.ofAnUnseenHold()
                        : each)
                .toList();
    }

    /**
     * Revocations as operations on the hold whose block contains their token. If no acquire was seen to get that token, it was
     * that of one whose answer was lost, if there is any: the revocation may then have ended the hold of each of these.
     */
    private static List<Operation> revocationsAimed(List<Operation> recorded, Set<String> mayHoldUnseen) {
        TreeMap<Long, Operation> blocks = new TreeMap<>();
        recorded.stream()
                .filter(each -> each.kind() == Kind.ACQUIRE && each.outcome() == Outcome.GRANTED)
                .filter(each -> each.token().isPresent())
                .forEach(each -> blocks.put(each.token().getAsLong(), each));
        List<Operation> aimed = new ArrayList<>();
        for (Operation each : recorded) {
            if (each.kind() != Kind.REVOKE) {
                aimed.add(each);
                continue;
            }
            Map.Entry<Long, Operation> block = blocks.floorEntry(each.token().orElseThrow());
            if (block != null && block.getValue().lastToken() >= each.token().orElseThrow()) {
                aimed.add(each.aimedAt(block.getValue()));
            } else if (mayHoldUnseen.isEmpty()) {
                aimed.add(each);
            } else if (each.outcome() != Outcome.REFUSED) {
                mayHoldUnseen.forEach(
                        client -> aimed.add(each.by(client).ofAnUnseenHold().withoutAnswer()));
            }
        }
        return aimed;
    }

    private static Map<Hold, List<Operation>> granted(List<Operation> ofName, Kind kind) {
        return ofName.stream()
                .filter(each -> each.kind() == kind && each.outcome() == Outcome.GRANTED)
                .collect(groupingBy(Hold::of));
    }
}
