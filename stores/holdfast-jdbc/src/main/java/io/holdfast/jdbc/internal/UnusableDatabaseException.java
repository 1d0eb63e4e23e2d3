package io.holdfast.jdbc.internal;

import java.sql.SQLException;

/**
 * Locks in this file, or on this server, would not work, and the same request would fail again. The message says why, and what to do.
 * Nothing was executed.
 */
public final class UnusableDatabaseException extends SQLException {

    private static final long serialVersionUID = 1L;

    public UnusableDatabaseException(String message) {
        super(message);
    }

    public UnusableDatabaseException(String message, Exception cause) {
        super(message, cause);
    }
}
