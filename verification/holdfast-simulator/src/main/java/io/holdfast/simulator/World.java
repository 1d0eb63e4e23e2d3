package io.holdfast.simulator;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Virtual time, what is to happen in it, and the dice. */
final class World {

    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;

    private final PriorityQueue<Event> agenda = new PriorityQueue<>();
    private final SplittableRandom dice;
    private final @Nullable StringBuilder trace;
    private long now = SECOND;
    private long events;

    /** Something that will happen; cancelling leaves it in the agenda as a blank. */
    static final class Event implements Comparable<Event> {
        private final long at;
        private final long number;
        private @Nullable Runnable action;

        private Event(long at, long number, Runnable action) {
            this.at = at;
            this.number = number;
            this.action = action;
        }

        void cancel() {
            action = null;
        }

        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    World(long seed, @Nullable StringBuilder trace) {
        this.dice = new SplittableRandom(seed);
        this.trace = trace;
    }

    long now() {
        return now;
    }

    Event at(long time, Runnable action) {
        Event event = new Event(Math.max(time, now), events++, action);
        agenda.add(event);
        return event;
    }

    Event in(long delay, Runnable action) {
        return at(now + Math.max(0, delay), action);
    }

    /** Lets things happen until {@code end}. */
    void runUntil(long end) {
        while (true) {
            Event next = agenda.peek();
            if (next == null || next.at > end) {
                now = end;
                return;
            }
            agenda.poll();
            Runnable action = next.action;
            if (action != null) {
                now = next.at;
                action.run();
            }
        }
    }

    /** Is there anything left to happen? */
    boolean isQuiet() {
        while (!agenda.isEmpty() && agenda.peek().action == null) {
            agenda.poll();
        }
        return agenda.isEmpty();
    }

    /** What is left to happen, for messages. */
    String agenda() {
        return agenda.stream()
                .filter(event -> event.action != null)
                .limit(5)
                .map(event -> event.at / 1e9 + " " + event.action)
                .toList()
                .toString();
    }

    boolean chance(double probability) {
        return dice.nextDouble() < probability;
    }

    double fraction() {
        return dice.nextDouble();
    }

    /** A duration between the two, in nanoseconds. */
    long between(long least, long most) {
        return dice.nextLong(least, most + 1);
    }

    int pick(int bound) {
        return dice.nextInt(bound);
    }

    /** What happens often is put into words only if somebody reads them. */
    void trace(String who, Supplier<String> what) {
        if (trace != null) {
            trace(who, what.get());
        }
    }

    void trace(String who, String what) {
        if (trace != null) {
            trace.append(String.format("%12.6f %-10s %s%n", now / 1e9, who, what));
        }
    }
}
