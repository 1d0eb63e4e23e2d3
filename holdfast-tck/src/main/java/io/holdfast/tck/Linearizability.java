package io.holdfast.tck;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

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
     * What there is to explain. A refused acquire says nothing. A lease that was given back in time did not end by itself:
     * not before, or the release would not have been granted, and not after. A token that no acquire of the client was
     * given may be of one whose answer was lost, and ends only what nobody saw a token of.
     */
    private static List<Operation> prepared(List<Operation> ofName) {
        Map<Hold, Long> acquired = granted(ofName, Kind.ACQUIRE);
        Map<Hold, Long> released = granted(ofName, Kind.RELEASE);
        Set<String> mayHoldUnseen = ofName.stream()
                .filter(each -> each.kind() == Kind.ACQUIRE && each.mayNotHaveHappened())
                .map(Operation::client)
                .collect(toSet());
        return ofName.stream()
                .filter(each -> each.kind() != Kind.ACQUIRE || each.outcome() != Outcome.REFUSED)
                .filter(each -> each.kind() != Kind.EXPIRE
                        || acquired.getOrDefault(Hold.of(each), 0L) != 1
                        || !released.containsKey(Hold.of(each)))
                .map(each -> mayHoldUnseen.contains(each.client())
                                && each.outcome() != Outcome.REFUSED
                                && each.kind() != Kind.ACQUIRE
                                && each.token().isPresent()
                                && !acquired.containsKey(Hold.of(each))
                        ? each.ofAnUnseenHold()
                        : each)
                .toList();
    }

    private static Map<Hold, Long> granted(List<Operation> ofName, Kind kind) {
        return ofName.stream()
                .filter(each -> each.kind() == kind && each.outcome() == Outcome.GRANTED)
                .collect(groupingBy(Hold::of, counting()));
    }
}
