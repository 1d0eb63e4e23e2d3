package io.holdfast.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the history of one name that several may have a part of, in the order in which they began: at no moment is more
 * out than there is, a writer's token is larger than that of everybody before it, a reader's larger than that of every
 * writer before it in another process, and permits have tokens of their own.
 */
final class CapacitySweep {

    private final Excuses excuses;
    private final int capacity;
    private final List<Possession> present = new ArrayList<>();
    private final Set<Long> permits = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private @Nullable Possession largest;
    private @Nullable Possession largestWriter;

    /** What a store that lost data, or from which a lease was taken by force, cannot be blamed for. */
    interface Excuses {

        /** Might the store have forgotten what {@code earlier} has before {@code now}? */
        boolean forgotten(Possession earlier, long now);
    }

    private CapacitySweep(int capacity, Excuses excuses) {
        this.capacity = capacity;
        this.excuses = excuses;
    }

    /** What is wrong with the history of a name of which there is {@code capacity}; empty if nothing is. */
    static List<String> check(List<Possession> ofOneName, int capacity, Excuses excuses) {
        CapacitySweep sweep = new CapacitySweep(capacity, excuses);
        ofOneName.stream()
                .sorted(Comparator.comparingLong(Possession::from).thenComparingLong(Possession::token))
                .forEach(sweep::begin);
        return sweep.violations;
    }

    private void begin(Possession next) {
        room(next);
        switch (next.role()) {
            case OWNER, MEMBER, LEADER, WRITER -> {
                ordered(largest, next);
                largestWriter = larger(largestWriter, next);
            }
            case READER, DOWNGRADED -> {
                if (!joined(largestWriter, next)) {
                    ordered(largestWriter, next);
                }
            }
            case PERMITS -> {
                if (!permits.add(next.token())) {
                    violations.add("One token, two leases: " + next);
                }
            }
        }
        largest = larger(largest, next);
        present.add(next);
    }

    private void room(Possession next) {
        present.removeIf(earlier -> earlier.to() <= next.from());
        if (next.to() <= next.from() || excuses.forgotten(next, next.from())) {
            return;
        }
        long out = next.units();
        for (Possession earlier : present) {
            out += excuses.forgotten(earlier, next.from()) ? 0 : earlier.units();
        }
        if (out > capacity) {
            violations.add("More out than there is (" + out + " of " + capacity + "): " + next + " beside " + present);
        }
    }

    /** A writer that has become a reader lets other readers of its process share its token. */
    private static boolean joined(@Nullable Possession writer, Possession reader) {
        return writer != null
                && writer.token() == reader.token()
                && writer.span().holder().equals(reader.span().holder());
    }

    private void ordered(@Nullable Possession before, Possession next) {
        if (before != null && before.token() >= next.token() && !excuses.forgotten(next, before.from())) {
            violations.add("The token does not grow: " + next + " after " + before);
        }
    }

    private static Possession larger(@Nullable Possession one, Possession other) {
        return one == null || other.token() > one.token() ? other : one;
    }
}
