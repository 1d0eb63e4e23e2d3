package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.SqliteDialect;
import io.holdfast.jdbc.internal.sqlite.SqliteFile;
import io.holdfast.jdbc.internal.sqlite.SqliteFileRegistration;
import java.net.PasswordAuthentication;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens dedicated connections by a JDBC URL. */
public final class UrlConnectionSource extends ConnectionSource {

    private final JdbcUrl url;
    private final Driver driver;
    /** Null if the URL has them, or none are needed. */
    private final @Nullable Supplier<? extends @Nullable PasswordAuthentication> credentials;
    /** Null if it is no file of SQLite, or if {@link #resolve} has not examined it yet. */
    private final @Nullable SqliteFileRegistration file;

    private UrlConnectionSource(
            JdbcUrl url,
            Driver driver,
            @Nullable Supplier<? extends @Nullable PasswordAuthentication> credentials,
            @Nullable SqliteFileRegistration file,
            boolean transactionPooling) {
        super(url.name(), transactionPooling);
        this.url = url;
        this.driver = driver;
        this.credentials = credentials;
        this.file = file;
    }

    public static UrlConnectionSource of(String url) {
        return of(JdbcUrl.of(url));
    }

    private static UrlConnectionSource of(JdbcUrl url) {
        url.check();
        return new UrlConnectionSource(url, DriverFinder.find(url), null, null, false);
    }

    /** A file of SQLite. Its driver reads a '?' in the name as the beginning of its parameters. */
    public static UrlConnectionSource ofFile(Path file) {
        if (file.toString().contains("?")) {
            throw new IllegalArgumentException("The name of a file of locks must not have a question mark: " + file);
        }
        return of(JdbcUrl.of("jdbc:sqlite:" + file).withName("file:" + file));
    }

    @Override
    ConnectionSource withTransactionPooling() {
        return new UrlConnectionSource(url, driver, credentials, file, true);
    }

    public UrlConnectionSource with(String user, String password) {
        PasswordAuthentication fixed = new PasswordAuthentication(user, password.toCharArray());
        return new UrlConnectionSource(url, driver, () -> fixed, file, false);
    }

    /** Refuses a URL with credentials, which drivers prefer to those of the supplier. */
    public UrlConnectionSource with(Supplier<? extends @Nullable PasswordAuthentication> supplier) {
        if (url.hasCredentials()) {
            throw new IllegalArgumentException(
                    "The URL " + name() + " has a user or a password, which the driver would use"
                            + " instead of those of the supplier. Leave them out of the URL.");
        }
        return new UrlConnectionSource(url, driver, supplier, file, false);
    }

    /** Before a file of SQLite is opened, it fails if locks in it would not work. */
    @Override
    public ConnectionSource resolve(Duration timeout) throws SQLException {
        Path path = url.kind().equals("sqlite") ? SqliteFile.path(url.plain()) : null;
        return path == null
                ? super.resolve(timeout)
                : new UrlConnectionSource(
                        url, driver, credentials, SqliteFileRegistration.of(path, driver.getClass()), false);
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        if (file == null) {
            return super.open(timeout);
        }
        file.check();
        try {
            return super.open(timeout);
        } catch (SQLException failure) {
            throw new SqliteDialect().explain(failure);
        }
    }

    @Override
    Connection connect(Duration timeout) throws SQLException {
        Properties properties = new Properties();
        addCredentials(properties);
        Dialect.of(url.kind(), name()).connectionProperties(properties, timeout);
        NotificationSockets.configure(driver, properties);
        @Nullable Connection connection;
        try {
            connection = driver.connect(url.text(), properties);
        } catch (SQLException | RuntimeException failure) {
            throw SecretRedactor.of(url)
                    .addPassword(properties.getProperty("password", ""))
                    .exclude(properties.getProperty("user", ""))
                    .redact(failure);
        }
        if (connection == null) {
            throw new SQLException(
                    "The driver does not accept the URL of " + name() + ". Check the syntax of the URL.");
        }
        return connection;
    }

    /** The exception of the supplier is not passed on, because it may contain a secret: only its class and where it was thrown. */
    private void addCredentials(Properties properties) throws SQLException {
        if (credentials == null) {
            return;
        }
        String supplier =
                "The supplier of credentials, " + credentials.getClass().getName() + ", ";
        PasswordAuthentication login;
        try {
            login = credentials.get();
        } catch (RuntimeException failure) {
            SQLException place = new SQLException(failure.getClass().getName());
            place.setStackTrace(failure.getStackTrace());
            throw new SQLTransientException(
                    supplier + "threw " + failure.getClass().getName()
                            + "; its message is not shown, because it may contain a secret.",
                    place);
        }
        if (login == null || login.getUserName() == null) {
            throw new SQLTransientException(supplier + "returned " + (login == null ? "null." : "no user name."));
        }
        properties.setProperty("user", login.getUserName());
        properties.setProperty("password", new String(login.getPassword()));
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
