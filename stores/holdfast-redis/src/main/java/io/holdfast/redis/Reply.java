package io.holdfast.redis;

import java.util.List;

/** What the acquire script answers. */
sealed interface Reply {

    /** It has the name, for so many microseconds from when it was executed. */
    record Granted(long token, int tokens, long left) implements Reply {}

    /** It does not fit, and it was one attempt. */
    record Taken() implements Reply {}

    /** Expired holders or dead waiters may be in its way; one call removes a limited number. The client repeats the request. */
    record Unfinished() implements Reply {}

    /**
     * It waits.
     *
     * @param place its arrival number
     * @param position 1 for the head; not more than it is
     * @param time the server's clock
     * @param untilFree microseconds to the first expiry of a lease, unless it is renewed
     * @param run the identity of the server process whose clock that was
     * @param again 1 if the script has done its share, but there is more to do
     */
    record Queued(String place, long position, long time, long untilFree, String run, long again) implements Reply {}

    /** Its channel has no subscriber, so it was not put into the queue. */
    record Deaf() implements Reply {}

    /** The name is in use with another capacity. */
    record AnotherSize(int capacity) implements Reply {}

    /** The claim has a tombstone. */
    record Ended() implements Reply {}

    /** Something else is at the key. */
    record Foreign(String layout) implements Reply {}

    static Reply of(List<Object> parts) {
        return switch ((int) number(parts, 0)) {
            case 1 -> new Granted(number(parts, 1), (int) number(parts, 2), number(parts, 3));
            case 0 -> number(parts, 1) == 1 ? new Unfinished() : new Taken();
            case 2 ->
                new Queued(
                        String.valueOf(number(parts, 1)),
                        number(parts, 2),
                        number(parts, 3),
                        number(parts, 4),
                        String.valueOf(parts.get(5)),
                        number(parts, 6));
            case 3 -> new Deaf();
            case 4 -> number(parts, 2) == 1 ? new Unfinished() : new AnotherSize((int) number(parts, 1));
            case 5 -> new Ended();
            case 6 -> new Foreign(String.valueOf(parts.get(1)));
            default -> throw new IllegalStateException("The acquire script answered " + parts);
        };
    }

    private static long number(List<Object> parts, int index) {
        return (Long) parts.get(index);
    }
}
