package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Where connections come from. */
interface Source {

    /** What to call the database in messages; without credentials. */
    String name();

    /** Opens a connection, or borrows one. */
    Connection open(Duration timeout) throws SQLException;

    /** Whether the connections are borrowed, so that they must be given back as they came, and soon. */
    boolean isBorrowed();
}
