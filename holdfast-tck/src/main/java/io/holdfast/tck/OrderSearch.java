package io.holdfast.tck;

import io.holdfast.tck.Operation.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks for one order of operations that a model accepts. Good for one search.
 *
 * @param <S> the state of the model
 */
final class OrderSearch<S> {

    /*
     * The search of Wing and Gong, with the linked list and the cache of Lowe.
     *
     * Duties are the operations that happened. Their calls and returns stand in one line, in the order of time. What was
     * called before the first return in the line may be placed next: nothing that is still there was over before it began.
     * Placing a duty lifts its call and its return out of the line. The search has succeeded when the line is empty, and
     * failed when even the first step was taken back in vain.
     *
     * Options are the operations that may not have happened. They have no return, so they never close a window, and need
     * not be placed. They are tried after the duties, because most of them explain nothing. Three rules keep them from
     * doubling the work each:
     *
     * 1. What is possible from here on depends on what is still to be placed and on the state, not on the order of the past.
     *    So a step is not taken if the same duties have led to the same state before, with the same options used up or
     *    some of them: all that can follow now could have followed then. An acquire that timed out and its expiry, which
     *    together have no effect, are cut off by this.
     * 2. When a hold is over and no acquire with its token is left, all other ways to end it have become impossible, and
     *    count as used up. So it does not matter which of them it was.
     * 3. An acquire that timed out is tried only while another call of its client, known to have been granted, may be placed:
     *    a release or a renewal. In any order in which it stands earlier it can be moved to right before the first of them,
     *    since models promise that it makes nothing else legal; and if there is none, it can be left out.
     *
     * Time and memory are linear in the length of the history. The factor is the number of ways in which the calls that
     * overlap can be cut into placed and not placed: small for a few clients, exponential in their number at worst. Sets
     * of duties are kept from their first gap on, so that they are no longer than the overlap.
     */

    /** How many operations before the impasse an explanation shows. */
    private static final int SHOWN = 6;

    /** Where the search has been: all duties before the gap, those behind it that are set in {@code beyond}, and the state. */
    private record Place<S>(int gap, BitSet beyond, S state) {}

    private record Step<S>(int number, List<Integer> impossible, S before) {}

    private record Impasse<S>(int placed, List<Operation> last, S state, List<Operation> stuck) {}

    private final Model<S> model;
    private final Remaining remaining;
    private final Deque<Step<S>> path = new ArrayDeque<>();
    private final Map<Place<S>, List<BitSet>> seen = new HashMap<>();
    private S state;
    private @Nullable Impasse<S> furthest;

    OrderSearch(Model<S> model, List<Operation> history) {
        this.model = model;
        this.remaining = new Remaining(history);
        this.state = model.initial();
    }

    /** Whether there is an order. */
    boolean succeeds() {
        int next = remaining.first();
        while (!remaining.isDone()) {
            if (next != Remaining.NONE) {
                next = place(next) ? remaining.first() : remaining.following(next);
            } else {
                noteImpasse();
                if (path.isEmpty()) {
                    return false;
                }
                next = remaining.following(takeBack());
            }
        }
        return true;
    }

    private boolean place(int number) {
        Operation next = remaining.operation(number);
        if (next.kind() == Kind.ACQUIRE && next.mayNotHaveHappened() && !remaining.mayBeUsedNext(next.client())) {
            return false;
        }
        Optional<S> after = model.after(state, next);
        if (after.isEmpty()) {
            return false;
        }
        remaining.lift(number);
        List<Integer> impossible = remaining.endsOfTheSame(number).stream()
                .filter(end ->
                        model.after(after.get(), remaining.operation(end)).isEmpty())
                .toList();
        impossible.forEach(remaining::lift);
        path.push(new Step<>(number, impossible, state));
        state = after.get();
        if (!isNew()) {
            takeBack();
            return false;
        }
        return true;
    }

    private int takeBack() {
        Step<S> step = path.pop();
        for (int i = step.impossible.size() - 1; i >= 0; i--) {
            remaining.putBack(step.impossible.get(i));
        }
        remaining.putBack(step.number);
        state = step.before;
        return step.number;
    }

    private boolean isNew() {
        Place<S> here = new Place<>(remaining.gap(), remaining.placedBeyondGap(), state);
        List<BitSet> usedBefore = seen.computeIfAbsent(here, place -> new ArrayList<>(1));
        for (BitSet each : usedBefore) {
            BitSet more = (BitSet) each.clone();
            more.andNot(remaining.used());
            if (more.isEmpty()) {
                return false;
            }
        }
        usedBefore.add((BitSet) remaining.used().clone());
        return true;
    }

    private void noteImpasse() {
        if (furthest == null || furthest.placed < remaining.countOfPlaced()) {
            List<Operation> last = new ArrayList<>();
            path.stream().limit(SHOWN).forEach(step -> last.add(0, remaining.operation(step.number)));
            furthest = new Impasse<>(remaining.countOfPlaced(), last, state, remaining.open());
        }
    }

    /** The order that was found. */
    List<Operation> order() {
        List<Operation> order = new ArrayList<>();
        path.descendingIterator().forEachRemaining(step -> order.add(remaining.operation(step.number)));
        return order;
    }

    /** Where the search came furthest, and why not further. */
    List<String> explanation() {
        List<String> text = new ArrayList<>();
        if (furthest != null) {
            text.add("Of " + remaining.duties() + " operations that happened, at most " + furthest.placed
                    + " can be put in an order that explains them"
                    + (furthest.last.isEmpty() ? "." : ". It ends with: " + furthest.last));
            text.add("The lock is then " + furthest.state);
            furthest.stuck.forEach(each -> text.add("This cannot follow: " + each));
        }
        return text;
    }
}
