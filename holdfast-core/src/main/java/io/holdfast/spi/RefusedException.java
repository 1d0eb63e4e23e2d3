package io.holdfast.spi;

/**
 * A store refuses a claim, with a reason for people: nothing was executed, nothing will be, and a retry
 * brings the same answer. Every other failure of a request means that its outcome is unknown.
 */
public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    private enum Kind {
        WRONG_KIND,
        UNSUPPORTED,
        OTHER
    }

    /** A refusal; the message names what is wrong and what to do. */
    public RefusedException(String message) {
        this(message, Kind.OTHER);
    }

    private RefusedException(String message, Kind kind) {
        super(message);
        this.kind = kind;
    }

    /** The name is in use with another capacity than the claim has. */
    public static RefusedException wrongKind(Claim claim, int present) {
        return new RefusedException(
                "'" + claim.name() + "' is in use as " + Claim.describe(present) + ", not as "
                        + Claim.describe(claim.capacity())
                        + ". One name has one kind and one size: use another name, or the same size everywhere.",
                Kind.WRONG_KIND);
    }

    /** The store does not support what the claim requests; the message says what to use instead. */
    public static RefusedException unsupported(String message) {
        return new RefusedException(message, Kind.UNSUPPORTED);
    }

    /** Is the name in use with another capacity? Callers get a {@link io.holdfast.WrongKindException} then. */
    public boolean isWrongKind() {
        return kind == Kind.WRONG_KIND;
    }

    /** Does the store not support it? Callers get an {@link io.holdfast.UnsupportedCapabilityException} then. */
    public boolean isUnsupported() {
        return kind == Kind.UNSUPPORTED;
    }
}
