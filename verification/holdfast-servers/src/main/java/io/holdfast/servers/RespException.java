package io.holdfast.servers;

/** Redis answered with an error; the message is what it said. */
public final class RespException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RespException(String message) {
        super(message);
    }
}
