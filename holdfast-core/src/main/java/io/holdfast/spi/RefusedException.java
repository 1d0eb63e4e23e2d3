package io.holdfast.spi;

/**
 * A store's definite no to a claim, with a reason for people: nothing was executed, nothing will be, and asking again
 * brings the same answer. Every other failure of a request means that its outcome is unknown.
 */
public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A refusal; the message names what is wrong and what to do. */
    public RefusedException(String message) {
        super(message);
    }

    /** The name is in use with another capacity than the claim says. */
    public static RefusedException anotherSize(Claim claim, int present) {
        return new RefusedException("'" + claim.name() + "' is in use as " + Claim.describe(present) + ", not as "
                + Claim.describe(claim.capacity())
                + ". One name has one kind and one size: use another name, or the same"
                + " size everywhere.");
    }
}
