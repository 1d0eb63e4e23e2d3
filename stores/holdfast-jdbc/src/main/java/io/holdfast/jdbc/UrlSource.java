package io.holdfast.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Connections of our own, by a JDBC URL. */
final class UrlSource implements Source {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    /** An option of MariaDB's driver. */
    private static final Pattern POOLED = Pattern.compile("^jdbc:mariadb:.*[?&]pool(?!=(?:false|0))(?:=|&|$)");

    private final JdbcUrl url;
    private final String name;
    private final Driver driver;
    private final Credentials credentials;
    /** Whether something on the way gives a connection another session of the server for every transaction. */
    private final boolean swapped;

    private UrlSource(JdbcUrl url, String name, Driver driver, Credentials credentials, boolean swapped) {
        this.url = url;
        this.name = name;
        this.driver = driver;
        this.credentials = credentials;
        this.swapped = swapped;
    }

    static UrlSource of(String url) {
        return of(JdbcUrl.of(url), JdbcUrl.of(url).name());
    }

    static UrlSource of(JdbcUrl url, String name) {
        url.check();
        if (url.kind().equals("h2") && url.text().toUpperCase(Locale.ROOT).contains("AUTO_SERVER")) {
            throw new IllegalArgumentException(
                    "H2 with AUTO_SERVER loses commits when the process that has the file ends, and"
                            + " with them locks and tokens: " + name
                            + ". Use file:PATH for locks on one machine, or H2 as a server.");
        }
        if (url.kind().equals("sqlite") && !url.wrapper().isEmpty()) {
            // Which copy of SQLite it passes on to is not known.
            throw new IllegalArgumentException("SQLite behind the wrapper driver '" + url.wrapper()
                    + "' is not supported: " + name + ". Leave the wrapper out: jdbc:sqlite:PATH or file:PATH.");
        }
        checkShared(url.plain(), name);
        return new UrlSource(url, name, Drivers.find(url.text(), name), Credentials.NONE, false);
    }

    /** Refuses a driver that keeps what is closed: a lock would stay with it, and others would get it with the connection. */
    UrlSource unpooled() {
        if (POOLED.matcher(url.plain()).find()) {
            throw new IllegalArgumentException(
                    "With pool=true the driver keeps sessions that were closed, and their locks: " + name
                            + ". Leave it out; session locks have connections of their own.");
        }
        return this;
    }

    UrlSource as(Credentials others) {
        return new UrlSource(url, name, driver, others, swapped);
    }

    /** Refuses a URL with credentials, for drivers prefer them to others. */
    UrlSource withoutCredentials() {
        if (url.hasCredentials()) {
            throw new IllegalArgumentException(
                    "The URL " + name + " has a user or a password, which the driver would use"
                            + " instead of those of the supplier. Leave them out of the URL.");
        }
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        Properties properties = new Properties();
        credentials.addTo(properties);
        dialect().connectionProperties(properties, timeout);
        PromptSockets.useIn(driver, properties);
        Connection connection = connect(properties);
        Session session = new Session(connection);
        try {
            // A driver may know the servers of others, too.
            setUp(session, Dialect.of(connection), timeout);
            return session;
        } catch (SQLException | RuntimeException | Error failure) {
            session.closeAfter(failure);
            throw failure;
        }
    }

    private Connection connect(Properties properties) throws SQLException {
        @Nullable Connection connection;
        try {
            connection = driver.connect(url.text(), properties);
        } catch (SQLException | RuntimeException failure) {
            throw Secrets.of(url)
                    .addPassword(properties.getProperty("password", ""))
                    .except(properties.getProperty("user", ""))
                    .hiddenIn(failure);
        }
        if (connection == null) {
            throw new SQLException("The driver does not accept the URL of " + name + ".");
        }
        return connection;
    }

    private void setUp(Session session, Dialect dialect, Duration timeout) throws SQLException {
        dialect.limit(session.connection(), Dialect.limitFor(timeout));
        if (swapped) {
            // The next who gets that session of the server may be the application.
            dialect.useWithoutOwnSession(session, timeout);
        } else {
            dialect.setUp(session.connection(), timeout);
        }
    }

    @Override
    public Source settled(Duration timeout) throws SQLException {
        Dialect dialect = dialect();
        Path file = dialect instanceof Sqlite ? SqliteFile.path(url.plain()) : null;
        if (file != null) {
            return SqliteSource.of(this, file, driver.getClass());
        }
        if (!dialect.boundsTransactionsAlone()) {
            return this;
        }
        UrlSource careful = new UrlSource(url, name, driver, credentials, true);
        try (Session one = careful.open(timeout);
                Session other = careful.open(timeout)) {
            dialect.checkServer(one.connection(), name);
            return dialect.isSwapped(one.connection(), other.connection()) ? careful : this;
        }
    }

    @Override
    public boolean hasOwnSessions() {
        return !swapped;
    }

    @Override
    public void warn() {
        if (swapped) {
            warnOfPooler(name);
        }
    }

    static void warnOfPooler(String name) {
        LOG.log(
                System.Logger.Level.WARNING,
                name
                        + ": a pooler between Holdfast and the database swaps sessions (transaction mode). So waiters poll instead of"
                        + " being notified, and every statement takes a transaction. Better: connect to the server itself.");
    }

    /** By the URL, for there is no connection yet that could be asked. */
    private Dialect dialect() {
        return switch (url.kind()) {
            case "postgresql" -> new Postgres();
            case "mariadb" -> new MariaDb();
            case "mysql" -> new MySql();
            case "h2" -> new H2();
            case "sqlite" -> new Sqlite();
            default ->
                throw new IllegalArgumentException(
                        "Locks on " + name + " are not supported. Supported are jdbc:postgresql:,"
                                + " jdbc:mariadb:, jdbc:mysql:, jdbc:h2: and jdbc:sqlite:, also behind a wrapper driver"
                                + " (jdbc:otel:postgresql:…).");
        };
    }

    /** A database that ends with its connection, or is there for one connection only, is shared by nobody. */
    private static void checkShared(String url, String name) {
        String upper = url.toUpperCase(Locale.ROOT);
        boolean ends = upper.startsWith("JDBC:H2:MEM:")
                && (upper.startsWith("JDBC:H2:MEM:;")
                        || upper.equals("JDBC:H2:MEM:")
                        || !upper.contains("DB_CLOSE_DELAY=-1"));
        if (ends) {
            throw new IllegalArgumentException(
                    "The database " + name + " is gone when nobody is connected. Name it, and add ;DB_CLOSE_DELAY=-1.");
        }
        if (upper.equals("JDBC:SQLITE:") || upper.startsWith("JDBC:SQLITE::MEMORY:") || upper.contains("MODE=MEMORY")) {
            throw new IllegalArgumentException(
                    "Every connection to " + name + " has a database of its own. Use a file: jdbc:sqlite:PATH.");
        }
    }
}
