package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables: made on request, and looked at before anything else. */
final class Schema {

    private static final int LAYOUT = 1;
    private static final int TRIES = 5;

    private final String table;
    private final String script;

    Schema(Dialect dialect, String kind, String table) {
        this.table = table;
        this.script = read(kind + "-" + dialect.script() + ".sql").replace("holdfast_" + kind, table);
    }

    /** Fails unless the tables are there and have the layout that this version writes. */
    void check(Connection connection) throws SQLException {
        try {
            int layout = layout(connection);
            if (layout != LAYOUT) {
                throw new IllegalStateException(
                        "The table " + table + " has layout " + layout + ", this version of Holdfast"
                                + " writes layout " + LAYOUT + ". Use the same version everywhere, or another table.");
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(
                    "The table " + table + " cannot be read (" + failure.getMessage() + "). If it is not there, let"
                            + " createTables() make it, or run this:\n\n" + script,
                    failure);
        }
    }

    /** Makes what is missing. Several processes may do this at the same time, and not every database likes that. */
    void create(Connection connection) throws SQLException {
        SQLException last = null;
        for (int tried = 0; tried < TRIES; tried++) {
            try (Statement statement = connection.createStatement()) {
                for (String part : script.split(";\\s*(\\n|$)", -1)) {
                    if (!part.isBlank()) {
                        statement.execute(part);
                    }
                }
                return;
            } catch (SQLException failure) {
                if (last != null) {
                    failure.addSuppressed(last);
                }
                last = failure;
                if (isThere(connection)) {
                    return;
                }
            }
        }
        throw last == null ? new SQLException("The table " + table + " could not be made.") : last;
    }

    private boolean isThere(Connection connection) {
        try {
            return layout(connection) == LAYOUT;
        } catch (SQLException notYet) {
            return false;
        }
    }

    private int layout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT MAX(version) FROM " + table + "_layout")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static String read(String resource) {
        try (InputStream file = Schema.class.getResourceAsStream(resource)) {
            if (file == null) {
                throw new IllegalStateException("The script " + resource + " is missing from the jar.");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
