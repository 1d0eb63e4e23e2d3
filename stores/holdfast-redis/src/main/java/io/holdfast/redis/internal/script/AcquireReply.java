package io.holdfast.redis.internal.script;

import java.util.List;

/** The reply of {@code acquire.lua}. The elements are in the order of the record's components, after the {@link ReplyCode}. */
public sealed interface AcquireReply {

    /** The claim is a holder, for so many microseconds from when the script was executed. */
    record Granted(long token, int tokens, long left) implements AcquireReply {}

    /** The claim does not fit, and it was one attempt. */
    record DoesNotFit() implements AcquireReply {}

    /** Expired holders or dead waiters may block the claim; one call removes a limited number. The client repeats the request. */
    record Unfinished() implements AcquireReply {}

    /**
     * The claim is in the wait queue.
     *
     * @param arrivalNumber its number in the queue; the client sends it along when it polls
     * @param position 1 for the head; a lower bound
     * @param serverTime the server's clock
     * @param untilExpiry microseconds to the first expiry of a lease, unless it is renewed
     * @param runId the identity of the server process whose clock that was
     * @param more whether the script has reached its limit, so that the client should poll again at once
     */
    record Queued(String arrivalNumber, long position, long serverTime, long untilExpiry, String runId, boolean more)
            implements AcquireReply {}

    /** The claim's wakeup channel has no subscriber, so the claim was not put into the queue. */
    record NotSubscribed() implements AcquireReply {}

    /** The name is in use with another capacity. */
    record OtherCapacity(int capacity) implements AcquireReply {}

    /** The claim has a tombstone. */
    record Ended() implements AcquireReply {}

    /** The key is no hash, or has another layout. */
    record ForeignKey(String layout) implements AcquireReply {}

    /** Parses a reply. */
    static AcquireReply of(List<Object> parts) {
        return switch (ReplyCode.of(parts)) {
            case GRANTED -> new Granted(number(parts, 1), (int) number(parts, 2), number(parts, 3));
            case DOES_NOT_FIT -> isOne(parts, 1) ? new Unfinished() : new DoesNotFit();
            case QUEUED ->
                new Queued(
                        String.valueOf(number(parts, 1)),
                        number(parts, 2),
                        number(parts, 3),
                        number(parts, 4),
                        String.valueOf(parts.get(5)),
                        isOne(parts, 6));
            case NOT_SUBSCRIBED -> new NotSubscribed();
            case OTHER_CAPACITY -> isOne(parts, 2) ? new Unfinished() : new OtherCapacity((int) number(parts, 1));
            case ENDED -> new Ended();
            case FOREIGN_KEY -> new ForeignKey(String.valueOf(parts.get(1)));
        };
    }

    private static long number(List<Object> parts, int index) {
        return (Long) parts.get(index);
    }

    private static boolean isOne(List<Object> parts, int index) {
        return number(parts, index) == 1;
    }
}
