package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import io.holdfast.jdbc.internal.DatabaseAvailability;
import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.TableSchema;
import io.holdfast.jdbc.internal.lease.LeaseSql;
import io.holdfast.jdbc.internal.lease.LeaseTableStore;
import io.holdfast.jdbc.internal.session.SessionDialect;
import io.holdfast.jdbc.internal.session.SessionLockStore;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.support.DaemonThreads;
import java.io.IOException;
import java.net.PasswordAuthentication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Collects the settings of a {@link JdbcStore}. Not thread-safe. */
public final class JdbcStoreBuilder implements StoreFactory {

    private final Kind kind;
    private ConnectionSource source;
    private StoreSettings settings;
    private boolean createsTables;

    /** The kind of locks, with the prefix of its scripts and tables. */
    enum Kind {
        LEASE("lease", 2),
        SESSION("session", 50);

        private final String prefix;
        private final int connections;

        Kind(String prefix, int connections) {
            this.prefix = prefix;
            this.connections = connections;
        }
    }

    JdbcStoreBuilder(Kind kind, ConnectionSource source) {
        this.kind = kind;
        this.source = source;
        this.settings = new StoreSettings(
                "holdfast_" + kind.prefix, kind.connections, Duration.ofSeconds(5), Duration.ofDays(1));
    }

    static JdbcStoreBuilder file(Path path) {
        Path file = path.toAbsolutePath().normalize();
        try {
            Path folder = file.getParent();
            if (folder == null || Files.isDirectory(file)) {
                throw new IllegalArgumentException(
                        "A file: store needs a file, and " + file + " is a folder. Name a file in it.");
            }
            Files.createDirectories(folder);
        } catch (IOException failure) {
            throw new IllegalArgumentException(
                    "The folder of " + file + " cannot be created (" + failure
                            + "). Create it, or let this process write there.",
                    failure);
        }
        return new JdbcStoreBuilder(Kind.LEASE, UrlConnectionSource.ofFile(file)).createTables();
    }

    /** The name of the table, optionally with that of a schema. The same for all clients that share locks. */
    public JdbcStoreBuilder table(String name) {
        settings = new StoreSettings(name, settings.connections(), settings.timeout(), settings.retention());
        return this;
    }

    /**
     * How many connections the store uses, 1 to 1,000. A lease table needs few, however many locks there are; default 2. Session locks
     * need one for each name that this process holds or waits for; default 50.
     */
    public JdbcStoreBuilder connections(int count) {
        settings = new StoreSettings(settings.table(), count, settings.timeout(), settings.retention());
        return this;
    }

    /** The user and the password, if they are not in the URL. */
    public JdbcStoreBuilder credentials(String user, String password) {
        source = url().with(user, password);
        return this;
    }

    /**
     * The user and the password, from a supplier that is called for every new connection: for tokens that expire (IAM) and
     * passwords that are rotated (Vault). Connections that are open stay as they are. The supplier is called by several threads, and should
     * return within {@link #timeout}: let it cache. If it throws or returns null, the connection fails and is retried later; the message
     * of what it throws is not shown, because it may contain a secret.
     *
     * @throws IllegalArgumentException if the URL has a user or a password
     */
    public JdbcStoreBuilder credentials(Supplier<PasswordAuthentication> supplier) {
        source = url().with(supplier);
        return this;
    }

    private UrlConnectionSource url() {
        if (!(source instanceof UrlConnectionSource url)) {
            throw new IllegalStateException(
                    "The store is opened on a DataSource, which has the credentials. Set them there, or use a URL.");
        }
        return url;
    }

    /** How long to wait for a response of the database, 100 ms to 30 s; default 5 s. */
    public JdbcStoreBuilder timeout(Duration time) {
        settings = new StoreSettings(settings.table(), settings.connections(), time, settings.retention());
        return this;
    }

    /**
     * How long the row of a name is kept after the name was last acquired, 15 minutes to a year; default a day. It has the last token, so
     * that tokens grow although the clock of the database is set back.
     */
    public JdbcStoreBuilder retention(Duration time) {
        settings = new StoreSettings(settings.table(), settings.connections(), settings.timeout(), time);
        return this;
    }

    /** Creates the tables if they are missing. */
    public JdbcStoreBuilder createTables() {
        createsTables = true;
        return this;
    }

    /**
     * Connects, and checks the server and the tables. The caller closes the store.
     *
     * @throws StoreUnavailableException if the database is unavailable and may be available later: it cannot be reached, starts, recovers or
     *     shuts down, has too many connections, or is read-only, as a standby is until it takes over. All other exceptions say that the
     *     configuration is wrong
     * @throws IllegalArgumentException if the database rejects the user, the password or the name of the database, or if the user lacks a
     *     privilege
     * @throws IllegalStateException if a table is missing or cannot be read, if the server is one on which locks would not be safe, if the
     *     connections or a file are read-only, if the pool is too small, or if a file has hard links, is mounted without its folder, or is
     *     in use by another copy of SQLite in this JVM
     */
    @Override
    public LockStore open(Environment environment) {
        try {
            ConnectionSource resolved = source.resolve(settings.timeout());
            try {
                return open(environment, resolved);
            } catch (SQLException | RuntimeException | Error failure) {
                resolved.close();
                throw failure;
            }
        } catch (UnusableDatabaseException refusal) {
            throw new IllegalStateException(source.name() + ": " + refusal.getMessage(), refusal);
        } catch (SQLException failure) {
            throw DatabaseAvailability.isUnavailable(failure) ? unavailable(failure) : refused(failure);
        }
    }

    private StoreUnavailableException unavailable(SQLException failure) {
        return new StoreUnavailableException(
                source.name(),
                "The database is unavailable (" + failure.getMessage()
                        + "), so no lock can be acquired in it until it is available again. Check whether it runs, accepts"
                        + " connections from here, and can be written",
                failure);
    }

    private IllegalArgumentException refused(SQLException failure) {
        return new IllegalArgumentException(
                source.name() + ": the database does not allow its use for locks (" + failure.getMessage()
                        + "), and will not later either. Correct the URL, the user and the password, the name of the database, or the"
                        + " privileges of the user.",
                failure);
    }

    private LockStore open(Environment environment, ConnectionSource resolved) throws SQLException {
        Duration timeout = settings.timeout();
        Dialect dialect;
        String table;
        try (Session session = resolved.open(timeout)) {
            Connection connection = session.connection();
            dialect = Dialect.of(connection);
            prepare(connection, dialect);
            resolved.logWarnings();
            table = dialect.qualified(connection, settings.table());
            if (kind == Kind.SESSION) {
                SessionDialect sessions = SessionDialect.of(dialect, table, Dialect.identity(table));
                return openSessions(environment, resolved, sessions, connection);
            }
            // Only for leases: a crash ends all sessions, so it cannot forget their locks.
            dialect.warn(connection, resolved.name());
        }
        // LISTEN needs a server session of its own.
        ConnectionSource notificationSource =
                dialect.notifyWaiter() != null && resolved.hasDedicatedSessions() ? resolved : null;
        if (resolved instanceof DataSourceConnectionSource pool) {
            pool.borrow(settings.connections(), notificationSource != null, timeout);
        }
        LeaseSql sql = new LeaseSql(dialect, table, Dialect.identity(table));
        ConnectionWorkers workers =
                new ConnectionWorkers(settings.connections(), resolved, dialect, timeout, environment.ticker());
        return new LeaseTableStore(resolved, environment, dialect, sql, workers, notificationSource, settings);
    }

    private void prepare(Connection connection, Dialect dialect) throws SQLException {
        dialect.checkConnection(connection);
        try {
            TableSchema schema = new TableSchema(dialect, kind.prefix, settings.table());
            if (createsTables) {
                schema.create(connection);
            }
            schema.check(connection);
            dialect.checkWritable(connection, settings.table());
        } catch (SQLException failure) {
            if (dialect.isReadOnly(failure)) {
                throw readOnly(failure);
            }
            throw dialect.explain(failure);
        }
    }

    private StoreUnavailableException readOnly(SQLException failure) {
        return new StoreUnavailableException(
                source.name(),
                "The database is read-only (" + failure.getMessage()
                        + "), but locks have to be written. Connect to the primary if this server is a standby or a replica. Else turn"
                        + " default_transaction_read_only off (PostgreSQL), or read_only and transaction_read_only (MariaDB,"
                        + " MySQL), for the user of the locks",
                failure);
    }

    private LockStore openSessions(
            Environment environment, ConnectionSource resolved, SessionDialect sessions, Connection connection)
            throws SQLException {
        try (Session other = resolved.open(settings.timeout())) {
            sessions.check(connection, other.connection());
        }
        if (resolved.isPool()) {
            sessions.checkClosing(resolved, connection, settings.timeout());
        }
        // One thread for each session at work.
        ExecutorService threads = Executors.newCachedThreadPool(
                DaemonThreads.named("holdfast-jdbc-session-").numbered());
        ConnectionWorkers workers =
                new ConnectionWorkers(1, resolved, sessions.dialect, settings.timeout(), environment.ticker());
        return new SessionLockStore(resolved, environment, sessions, settings, threads, workers);
    }
}
