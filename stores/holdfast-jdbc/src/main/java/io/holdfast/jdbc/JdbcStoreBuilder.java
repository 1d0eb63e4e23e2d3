package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.WaitingStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Collects the settings of a {@link JdbcStore}. Not thread-safe. */
public final class JdbcStoreBuilder {

    /** The stores say themselves when to ask again; this is for when they do not. */
    private static final Duration POLL = Duration.ofSeconds(1);

    private final Source source;
    private Settings settings;
    private boolean creates;

    JdbcStoreBuilder(Source source, Settings settings) {
        this.source = source;
        this.settings = settings;
    }

    /** The name of the table, perhaps with that of a schema. The same for all who share locks. */
    public JdbcStoreBuilder table(String name) {
        settings = settings.withTable(name);
        return this;
    }

    /** How many connections work for the store, 1 to 64; default 2. */
    public JdbcStoreBuilder connections(int count) {
        settings = settings.withConnections(count);
        return this;
    }

    /** How long to wait for an answer of the database, 100 ms to 30 s; default 5 s. */
    public JdbcStoreBuilder timeout(Duration time) {
        settings = settings.withTimeout(time);
        return this;
    }

    /**
     * How long the row of a name stays after its last use, 15 minutes to a year; default a day. It remembers the last token for
     * the case that the clock of the database is set back.
     */
    public JdbcStoreBuilder retention(Duration time) {
        settings = settings.withRetention(time);
        return this;
    }

    /** Makes the tables if they are not there. */
    public JdbcStoreBuilder createTables() {
        creates = true;
        return this;
    }

    /**
     * Connects, and looks at the tables. The caller closes the store.
     *
     * @throws IllegalStateException if the database cannot be reached, or a table is missing
     */
    public LockStore open(Environment environment) {
        Dialect dialect;
        try (Connection connection = source.open(settings.timeout())) {
            dialect = Dialect.of(connection);
            Schema schema = new Schema(dialect, "lease", settings.table());
            if (creates) {
                schema.create(connection);
            }
            schema.check(connection);
        } catch (SQLException failure) {
            throw new IllegalStateException(
                    source.name() + " cannot be used for locks: " + failure.getMessage(), failure);
        }
        LeaseSql sql = new LeaseSql(dialect, settings.table());
        Lanes lanes = new Lanes(settings.connections(), source, dialect, settings.timeout(), environment.ticker());
        Source pushes = dialect.tell() == null ? null : source;
        LeaseTable table = new LeaseTable(source.name(), environment, dialect, sql, lanes, pushes, settings);
        return new WaitingStore(table, environment, POLL);
    }
}
