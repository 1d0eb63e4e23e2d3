package io.holdfast.jdbc.internal.dialect;

import io.holdfast.jdbc.internal.DatabaseAvailability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates the tables if the application wants it, and checks that they are there. */
public final class TableSchema {

    /** Where a script has the version of the layout that it creates. */
    private static final Pattern VERSION = Pattern.compile("_layout VALUES \\((\\d+)\\)");

    private static final String FOLDER = "/io/holdfast/jdbc/";

    private static final int MAX_ATTEMPTS = 5;

    private final String table;
    private final String script;
    private final int expectedLayout;

    public TableSchema(Dialect dialect, String kind, String table) {
        this.table = table;
        this.script = read(kind + "-" + dialect.script() + ".sql").replace("holdfast_" + kind, table);
        Matcher version = VERSION.matcher(script);
        if (!version.find()) {
            throw new IllegalStateException("The script for " + table
                    + " does not contain the version of its layout. This is a bug in Holdfast.");
        }
        this.expectedLayout = Integer.parseInt(version.group(1));
    }

    /** Fails unless the tables are there and have the layout that this version writes. */
    public void check(Connection connection) throws SQLException {
        try {
            int layout = layout(connection);
            if (layout != expectedLayout) {
                throw new IllegalStateException("The table " + table + " has layout " + layout
                        + ", this version of Holdfast" + " writes layout " + expectedLayout
                        + ". Use the same version everywhere, or another table.");
            }
        } catch (SQLException failure) {
            if (DatabaseAvailability.isUnavailable(failure)) {
                throw failure;
            }
            throw new IllegalStateException(
                    "The table " + table + " cannot be read (" + failure.getMessage()
                            + "). If the user may not read it, grant the privileges that docs/stores/jdbc.md lists. If it is missing, let"
                            + " createTables() create it, or run this:\n\n" + script,
                    failure);
        }
    }

    /** Creates what is missing. Several processes may do this at the same time, for which not every database is prepared. */
    public void create(Connection connection) throws SQLException {
        int present = layoutIfThere(connection);
        if (present > 0 && present != expectedLayout) {
            // Created by another version, so it is not changed.
            return;
        }
        for (int attempts = 1; ; attempts++) {
            try {
                for (String part : script.split(";\\s*(\\n|$)", -1)) {
                    if (!part.isBlank()) {
                        Dialect.execute(connection, part);
                    }
                }
                return;
            } catch (SQLException failure) {
                if (layoutIfThere(connection) == expectedLayout) {
                    return;
                }
                if (attempts == MAX_ATTEMPTS) {
                    throw failure;
                }
            }
        }
    }

    private int layoutIfThere(Connection connection) {
        try {
            return layout(connection);
        } catch (SQLException notYet) {
            return 0;
        }
    }

    private int layout(Connection connection) throws SQLException {
        return Integer.parseInt(String.valueOf(
                Dialect.queryValue(connection, "SELECT COALESCE(MAX(version), 0) FROM " + table + "_layout")));
    }

    private static String read(String resource) {
        try (InputStream file = TableSchema.class.getResourceAsStream(FOLDER + resource)) {
            if (file == null) {
                throw new IllegalStateException(
                        "The script " + resource + " is missing from the jar of holdfast-jdbc. Use the original jar.");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
