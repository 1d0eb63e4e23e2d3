package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;

/** Connections of our own, by a JDBC URL. */
final class UrlSource implements Source {

    private final String url;
    private final String name;
    private final Driver driver;
    private final Properties credentials;

    private UrlSource(String url, String name, Driver driver, Properties credentials) {
        this.url = url;
        this.name = name;
        this.driver = driver;
        this.credentials = credentials;
    }

    static UrlSource of(String url) {
        return of(url, redacted(url));
    }

    static UrlSource of(String url, String name) {
        if (name.startsWith("jdbc:h2:") && url.toUpperCase(Locale.ROOT).contains("AUTO_SERVER")) {
            throw new IllegalArgumentException(
                    "H2 with AUTO_SERVER loses commits when the process that has the file ends, and"
                            + " with them locks and tokens: " + name
                            + ". Use file:PATH for locks on one machine, or H2 as a server.");
        }
        try {
            return new UrlSource(url, name, DriverManager.getDriver(url), new Properties());
        } catch (SQLException noDriver) {
            // The message of that exception has the whole URL.
            throw new IllegalArgumentException(
                    "There is no JDBC driver for " + name + " on the class path." + " Add the one of your database.");
        }
    }

    UrlSource as(String user, String password) {
        Properties both = new Properties();
        both.setProperty("user", user);
        both.setProperty("password", password);
        return new UrlSource(url, name, driver, both);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(credentials);
        Dialect dialect = dialect();
        dialect.connectionProperties(properties, timeout);
        Connection connection = driver.connect(url, properties);
        if (connection == null) {
            throw new SQLException("The driver does not accept the URL of " + name + ".");
        }
        try {
            dialect.limit(connection, Dialect.limitFor(timeout));
            dialect.setUp(connection, timeout);
            return new Session(connection);
        } catch (SQLException failure) {
            connection.close();
            throw failure;
        }
    }

    /** By the URL, for there is no connection yet that could be asked. */
    private Dialect dialect() {
        return switch (url.split(":", 3)[1]) {
            case "postgresql" -> new Postgres();
            case "mariadb" -> new MariaDb();
            case "mysql" -> new MySql();
            case "h2" -> new H2();
            case "sqlite" -> new Sqlite();
            default -> throw new IllegalArgumentException("There are no locks on " + name + " yet.");
        };
    }

    /** Without user, password and parameters. */
    static String redacted(String url) {
        String bare = url.split("[?;(]", 2)[0];
        return bare.replaceFirst("//[^/]*@", "//");
    }
}
