package io.holdfast.redis.internal.script;

import java.util.List;

/**
 * The reply of a script that may have served the wait queue.
 *
 * @param done whether the script has done what it is for, such as to end a holder
 * @param more whether there is more to do for the queue, so that {@link Script#SERVE_QUEUE} has to be called
 * @param publishFailure why a pub/sub message to a waiter could not be sent, or empty
 */
public record QueueReply(boolean done, boolean more, String publishFailure) {

    /** Of {@code {done, more, failure}}; the fast path of a script replies {@code {done}} only. */
    public static QueueReply of(List<Object> reply) {
        return reply.size() < 3
                ? new QueueReply(isOne(reply.get(0)), false, "")
                : new QueueReply(isOne(reply.get(0)), isOne(reply.get(1)), String.valueOf(reply.get(2)));
    }

    /** Of the last two elements of a longer reply. */
    public static QueueReply ofEnd(List<Object> reply) {
        int size = reply.size();
        return new QueueReply(true, isOne(reply.get(size - 2)), String.valueOf(reply.get(size - 1)));
    }

    private static boolean isOne(Object value) {
        return value.equals(1L);
    }
}
