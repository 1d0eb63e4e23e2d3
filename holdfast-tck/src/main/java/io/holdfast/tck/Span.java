package io.holdfast.tck;

/**
 * A stretch of time in which somebody is known to have believed that it holds a name.
 *
 * @param name the lock's name
 * @param token the fencing token
 * @param holder who, for messages
 * @param from not before the lease was given: taken after the acquiring call returned
 * @param to not after it was given back or lost: taken before the releasing call began
 */
public record Span(String name, long token, String holder, long from, long to) {

    @Override
    public String toString() {
        return "'" + name + "' token " + token + " by " + holder + " from " + from + " to " + to;
    }
}
