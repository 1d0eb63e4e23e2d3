package io.holdfast.tck;

import java.util.Locale;
import java.util.OptionalLong;

/**
 * One call to a lock, as its caller saw it: what was asked, what was answered, and when. What really happened, happened at
 * one moment between {@code called} and {@code returned}.
 *
 * <p>An unknown outcome (a time-out) may take effect at any later time, or never. So may the end of a lease by itself,
 * which is an operation too: nobody calls it, but it may happen from some moment on.
 *
 * @param kind what was asked
 * @param name the lock's name; names are judged apart
 * @param client who asked, and owns what it is given; {@link #ANYBODY} for a revocation, which needs the token only
 * @param units how much of the capacity was asked for, or shall be kept by a renewal; others do not say it
 * @param token the fencing token, or the first of a block of them, if there is one and the caller knows it
 * @param tokens how many consecutive tokens the block has that begins with {@code token}; only an acquire says it
 * @param outcome what was answered
 * @param called not after the call was made
 * @param returned not before the answer came; {@link #NEVER} if the outcome is unknown
 */
public record Operation(
        Kind kind,
        String name,
        String client,
        int units,
        OptionalLong token,
        int tokens,
        Outcome outcome,
        long called,
        long returned) {

    /** In place of a token that no acquire was seen to get: it was that of an acquire whose answer was lost. */
    private static final OptionalLong UNSEEN = OptionalLong.of(Long.MIN_VALUE);

    /** In place of the client of a revocation. */
    public static final String ANYBODY = "anybody";

    /** The return time of a call that was not answered. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What can be asked. */
    public enum Kind {
        /** Take the name, or units of it. */
        ACQUIRE,
        /** Keep what was taken, or some of its units. */
        RENEW,
        /** Give back what was taken. */
        RELEASE,
        /** Take the name away from the holder of a token. */
        REVOKE,
        /** The lease ends by itself. */
        EXPIRE
    }

    /** What can be answered. */
    public enum Outcome {
        /** It was done: the name was given, kept, given back by its holder, or taken away from it. */
        GRANTED,
        /** It was not done, and nothing has changed: the name was taken, or there was no such hold to keep or to end. */
        REFUSED,
        /** No answer: it was done, or will be, or never will. */
        UNKNOWN
    }

    public Operation {
        if (units < 1) {
            throw new IllegalArgumentException("An operation is about at least one unit: units=" + units);
        }
        if (tokens < 1) {
            throw new IllegalArgumentException("A block has at least one token: tokens=" + tokens);
        }
        if (outcome == Outcome.UNKNOWN) {
            returned = NEVER;
        }
        if (returned < called) {
            throw new IllegalArgumentException("Returned before it was called: " + returned + " < " + called);
        }
    }

    /** A call that asks for {@code units} of the name. */
    public static Operation acquire(
            String name, String client, int units, OptionalLong token, Outcome outcome, long called, long returned) {
        return new Operation(Kind.ACQUIRE, name, client, units, token, 1, outcome, called, returned);
    }

    /** The same acquire, granted with a block of {@code count} tokens, of which {@link #token} is the first. */
    public Operation withTokens(int count) {
        return new Operation(kind, name, client, units, token, count, outcome, called, returned);
    }

    /** A call that keeps {@code units} of what was acquired with {@code token}; refused if the hold is gone. */
    public static Operation renew(
            String name, String client, int units, OptionalLong token, Outcome outcome, long called, long returned) {
        return new Operation(Kind.RENEW, name, client, units, token, 1, outcome, called, returned);
    }

    /** A call that ends the hold whose block contains {@code token}, whoever has it; refused if there is none. */
    public static Operation revoke(String name, long token, Outcome outcome, long called, long returned) {
        return new Operation(Kind.REVOKE, name, ANYBODY, 1, OptionalLong.of(token), 1, outcome, called, returned);
    }

    /** A call that gives back all that was acquired with {@code token}. */
    public static Operation release(
            String name, String client, OptionalLong token, Outcome outcome, long called, long returned) {
        return new Operation(Kind.RELEASE, name, client, 1, token, 1, outcome, called, returned);
    }

    /**
     * The end of a lease by itself.
     *
     * @param opens when it may happen at the earliest: the lease time after the acquire, or its last renewal, was sent
     */
    public static Operation expire(String name, String client, OptionalLong token, long opens) {
        return new Operation(Kind.EXPIRE, name, client, 1, token, 1, Outcome.UNKNOWN, opens, NEVER);
    }

    Operation withoutAnswer() {
        return new Operation(kind, name, client, units, token, tokens, Outcome.UNKNOWN, called, NEVER);
    }

    /** The same operation, about the hold that {@code acquire} began. */
    Operation aimedAt(Operation acquire) {
        return new Operation(kind, name, acquire.client, units, acquire.token, 1, outcome, called, returned);
    }

    /** The same operation at another time. */
    Operation at(long otherCall, long otherReturn) {
        return new Operation(kind, name, client, units, token, tokens, outcome, otherCall, otherReturn);
    }

    /** The same operation by {@code other}. */
    Operation by(String other) {
        return new Operation(kind, name, other, units, token, tokens, outcome, called, returned);
    }

    Operation ofAnUnseenHold() {
        return new Operation(kind, name, client, units, UNSEEN, 1, outcome, called, returned);
    }

    boolean isOfAnUnseenHold() {
        return token.equals(UNSEEN);
    }

    /** Whether this is about a hold of its client that was acquired with {@code its} token, or with none that anybody saw. */
    boolean isAbout(OptionalLong its) {
        return token.isEmpty() || (isOfAnUnseenHold() ? its.isEmpty() : token.equals(its));
    }

    /** The last token of the block; there must be one. */
    long lastToken() {
        return token.orElseThrow() + tokens - 1;
    }

    boolean mayNotHaveHappened() {
        return outcome == Outcome.UNKNOWN;
    }

    @Override
    public String toString() {
        String what = kind.name().toLowerCase(Locale.ROOT)
                + (units > 1 ? " of " + units : "")
                + (token.isPresent() && !isOfAnUnseenHold() ? " with " + block() : "");
        return kind == Kind.EXPIRE
                ? what + " of " + client + " (from " + called + ")"
                : what + (kind == Kind.REVOKE ? " of " : " by ") + client + ", "
                        + outcome.name().toLowerCase(Locale.ROOT) + " (" + called + " to "
                        + (returned == NEVER ? "?" : returned) + ")";
    }

    private String block() {
        return tokens == 1 ? "token " + token.orElseThrow() : "tokens " + token.orElseThrow() + " to " + lastToken();
    }
}
