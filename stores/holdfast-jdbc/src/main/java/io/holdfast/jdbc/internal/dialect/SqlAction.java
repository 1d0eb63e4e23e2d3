package io.holdfast.jdbc.internal.dialect;

import java.sql.SQLException;

/** An action on a connection. */
@FunctionalInterface
public interface SqlAction {

    void run() throws SQLException;
}
