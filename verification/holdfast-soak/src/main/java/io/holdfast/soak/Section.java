package io.holdfast.soak;

import io.holdfast.tck.Span;

/**
 * What somebody had, and from when to when it is known to have believed so. Times are {@link System#nanoTime()}, which is
 * one clock for all processes of a Linux machine.
 *
 * @param role as what
 * @param name of what
 * @param units how much of it
 * @param token the fencing token
 * @param holder who: process and thread
 * @param called before it was asked for
 * @param from after it was given
 * @param to the last look at which the lease said that it was held; before {@code from} if there was none
 */
record Section(Role role, String name, int units, long token, String holder, long called, long from, long to) {

    /** Did it ever believe to have the name? It may have been given a lease that was over by then. */
    boolean wasHeld() {
        return to >= from;
    }

    Span span() {
        return new Span(name, token, holder, from, to);
    }

    /** One line, for the way from another process. */
    String toLine() {
        return String.join(
                " ",
                role.name(),
                name,
                String.valueOf(units),
                String.valueOf(token),
                holder,
                String.valueOf(called),
                String.valueOf(from),
                String.valueOf(to));
    }

    static Section ofLine(String line) {
        String[] words = line.split(" ", -1);
        return new Section(
                Role.valueOf(words[0]),
                words[1],
                Integer.parseInt(words[2]),
                Long.parseLong(words[3]),
                words[4],
                Long.parseLong(words[5]),
                Long.parseLong(words[6]),
                Long.parseLong(words[7]));
    }

    @Override
    public String toString() {
        return role + " " + span() + ", asked for at " + called;
    }
}
