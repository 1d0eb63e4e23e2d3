package io.holdfast.tck;

import static java.util.stream.Collectors.toCollection;

import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The operations that {@link OrderSearch} still has to place, or may place. They are numbered by the time of their call: first
 * the duties, which happened, then the options, which may not have.
 */
final class Remaining {

    static final int NONE = -1;

    /** What is held with one token: the acquires that may begin it, and the options that may end it. */
    private static final class Hold {
        int acquires;
        final List<Integer> ends = new ArrayList<>();
    }

    private record HoldKey(String client, OptionalLong token) {}

    private final List<Operation> operations;
    private final List<Hold> holds = new ArrayList<>();
    private final int duties;
    /** A call has the number of its duty, its return comes {@code duties} later. */
    private final Links line;
    /** Options, counted from 0. */
    private final Links spare;

    private final BitSet placed = new BitSet();
    private final BitSet used = new BitSet();
    private int countOfPlaced;

    Remaining(List<Operation> history) {
        // Stable sorts: on a tie of clocks a call stands before a return, and the two overlap.
        operations = history.stream()
                .sorted(Comparator.comparing(Operation::mayNotHaveHappened).thenComparingLong(Operation::called))
                .collect(toCollection(ArrayList::new));
        duties = (int)
                operations.stream().filter(each -> !each.mayNotHaveHappened()).count();
        line = new Links(IntStream.range(0, 2 * duties)
                .boxed()
                .sorted(Comparator.comparingLong(this::time))
                .mapToInt(Integer::intValue)
                .toArray());
        spare = new Links(IntStream.range(0, operations.size() - duties).toArray());
        Map<HoldKey, Hold> byKey = new HashMap<>();
        for (int number = 0; number < operations.size(); number++) {
            Operation each = operations.get(number);
            Hold hold = byKey.computeIfAbsent(new HoldKey(each.client(), each.token()), key -> new Hold());
            holds.add(hold);
            if (each.kind() == Kind.ACQUIRE) {
                hold.acquires++;
            } else if (number >= duties) {
                hold.ends.add(number);
            }
        }
    }

    private long time(int event) {
        return event < duties
                ? operations.get(event).called()
                : operations.get(event - duties).returned();
    }

    Operation operation(int number) {
        return operations.get(number);
    }

    int duties() {
        return duties;
    }

    int countOfPlaced() {
        return countOfPlaced;
    }

    boolean isDone() {
        return line.first() == line.end();
    }

    /** The first duty that is not placed, or the number of duties. */
    int gap() {
        return isDone() ? duties : line.first();
    }

    /** Which duties behind the gap are placed, counted from there. */
    BitSet placedBeyondGap() {
        return placed.get(gap(), Math.max(gap(), placed.length()));
    }

    /** Which options are placed or have become impossible. */
    BitSet used() {
        return used;
    }

    /** What to try first: the duty that returned first, because the others can wait; {@link #NONE} if all is done. */
    int first() {
        return isDone() ? NONE : firstReturn() - duties;
    }

    /** What to try after {@code number} from the same place, or {@link #NONE}: the other duties, then options. */
    int following(int number) {
        if (number < duties) {
            int next = number == first() ? line.first() : line.after(number);
            int other = next == first() ? line.after(next) : next;
            if (other < duties) {
                return other;
            }
        }
        int option = number < duties ? spare.first() : spare.after(number - duties);
        return option != spare.end() && operation(duties + option).called() <= time(firstReturn())
                ? duties + option
                : NONE;
    }

    private int firstReturn() {
        int event = line.first();
        while (event < duties) {
            event = line.after(event);
        }
        return event;
    }

    /** The duties that may come next. */
    List<Operation> open() {
        List<Operation> open = new ArrayList<>();
        for (int event = line.first(); event < duties; event = line.after(event)) {
            open.add(operation(event));
        }
        return open;
    }

    /** Whether a duty may come next that needs {@code client} to hold. */
    boolean mayBeUsedNext(String client) {
        for (int event = line.first(); event < duties; event = line.after(event)) {
            Operation duty = operation(event);
            if (duty.kind() != Kind.ACQUIRE
                    && duty.outcome() == Outcome.GRANTED
                    && duty.client().equals(client)) {
                return true;
            }
        }
        return false;
    }

    /** Options that end what {@code number} ends too, if nothing can begin it again. */
    List<Integer> endsOfTheSame(int number) {
        Hold hold = holds.get(number);
        boolean isOver = operation(number).kind() != Kind.ACQUIRE
                && operation(number).token().isPresent()
                && !operation(number).isOfAnUnseenHold()
                && hold.acquires == 0;
        return isOver && !hold.ends.isEmpty()
                ? hold.ends.stream().filter(end -> !used.get(end - duties)).toList()
                : List.of();
    }

    void lift(int number) {
        if (operation(number).kind() == Kind.ACQUIRE) {
            holds.get(number).acquires--;
        }
        if (number < duties) {
            line.lift(number);
            line.lift(number + duties);
            placed.set(number);
            countOfPlaced++;
        } else {
            spare.lift(number - duties);
            used.set(number - duties);
        }
    }

    /** In the reverse order of lifting. */
    void putBack(int number) {
        if (operation(number).kind() == Kind.ACQUIRE) {
            holds.get(number).acquires++;
        }
        if (number < duties) {
            line.putBack(number + duties);
            line.putBack(number);
            placed.clear(number);
            countOfPlaced--;
        } else {
            spare.putBack(number - duties);
            used.clear(number - duties);
        }
    }
}
