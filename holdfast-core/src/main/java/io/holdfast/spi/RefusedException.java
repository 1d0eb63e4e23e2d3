package io.holdfast.spi;

/**
 * A store refuses a claim, with a reason for people: nothing was executed, nothing will be, and a retry
 * brings the same answer. Every other failure of a request means that its outcome is unknown.
 */
public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean wrongKind;

    /** A refusal; the message names what is wrong and what to do. */
    public RefusedException(String message) {
        this(message, false);
    }

    private RefusedException(String message, boolean wrongKind) {
        super(message);
        this.wrongKind = wrongKind;
    }

    /** The name is in use with another capacity than the claim has. */
    public static RefusedException wrongKind(Claim claim, int present) {
        return new RefusedException(
                "'" + claim.name() + "' is in use as " + Claim.describe(present) + ", not as "
                        + Claim.describe(claim.capacity())
                        + ". One name has one kind and one size: use another name, or the same size everywhere.",
                true);
    }

    /** Is the name in use with another capacity? Callers get a {@link io.holdfast.WrongKindException} then. */
    public boolean isWrongKind() {
        return wrongKind;
    }
}
