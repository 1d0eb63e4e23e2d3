package io.holdfast.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/** Where connections come from. */
interface Source {

    /** What to call the database in messages; without credentials. */
    String name();

    /** Opens a connection, or borrows one. */
    Session open(Duration timeout) throws SQLException;

    /** The same, as it is to be used: looks at how connections come to the database. */
    default Source settled(Duration timeout) throws SQLException {
        return this;
    }

    /** Whether every connection has a session of the server for itself, for as long as it is open. */
    boolean hasOwnSessions();

    /** Whether the connections belong to a pool, so that they must be exchanged from time to time. */
    default boolean isPool() {
        return false;
    }

    /** After the last connection was closed. */
    default void close() {}

    /** Says in the log what is not well about it. */
    default void warn() {}
}
