package io.holdfast.jdbc.internal;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * The settings of a store.
 *
 * @param table the name of its table, optionally with that of a schema
 * @param connections how many connections it uses
 * @param timeout how long to wait for a response of the database
 * @param retention how long the row of a name is kept after the name was last acquired
 */
public record StoreSettings(String table, int connections, Duration timeout, Duration retention) {

    private static final Pattern IDENTIFIER =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,39}\\.)?[A-Za-z_][A-Za-z0-9_]{0,39}");
    private static final int MAX_CONNECTIONS = 1_000;
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(30);

    /** Longer than a tombstone is kept. */
    private static final Duration MIN_RETENTION = Duration.ofMinutes(15);

    private static final Duration MAX_RETENTION = Duration.ofDays(365);

    public StoreSettings {
        if (!IDENTIFIER.matcher(table).matches()) {
            throw new IllegalArgumentException("table must be a plain identifier of at most 40 letters, digits and"
                    + " underscores, optionally after that of a schema and a point: '" + table + "'");
        }
        if (connections < 1 || connections > MAX_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections must be between 1 and " + MAX_CONNECTIONS + ": " + connections);
        }
        between("timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        between("retention", retention, MIN_RETENTION, MAX_RETENTION);
    }

    private static void between(String setting, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(setting + " must be between " + least + " and " + most + ": " + value);
        }
    }
}
