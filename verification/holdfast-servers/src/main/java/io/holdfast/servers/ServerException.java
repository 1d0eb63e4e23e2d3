package io.holdfast.servers;

/** A server did not start, or did not come to the state that was waited for. */
public final class ServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ServerException(String message) {
        super(message);
    }

    ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
