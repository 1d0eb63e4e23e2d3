package io.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A driver that delegates to that of the database, as those for tracing do, and may change statements. */
final class WrapperDriver implements Driver, AutoCloseable {

    private final String prefix;
    private final UnaryOperator<String> statements;
    private final List<Properties> connected = new CopyOnWriteArrayList<>();

    private WrapperDriver(String prefix, UnaryOperator<String> statements) {
        this.prefix = "jdbc:" + prefix + ":";
        this.statements = statements;
    }

    /** Accepts {@code jdbc:PREFIX:…} until it is closed. */
    static WrapperDriver register(String prefix, UnaryOperator<String> statements) throws SQLException {
        WrapperDriver driver = new WrapperDriver(prefix, statements);
        DriverManager.registerDriver(driver);
        return driver;
    }

    /** The URL that is passed on to this one. */
    String wrapped(String url) {
        return prefix + url.substring("jdbc:".length());
    }

    /** The properties of its connections. */
    List<Properties> connected() {
        return connected;
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(prefix);
    }

    @Override
    public @Nullable Connection connect(String url, Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        connected.add(properties);
        return (Connection) wrap(
                DriverManager.getConnection("jdbc:" + url.substring(prefix.length()), properties), Connection.class);
    }

    private Object wrap(Object wrapped, Class<?> type) {
        return Proxy.newProxyInstance(
                WrapperDriver.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(wrapped, method, arguments));
    }

    private Object call(Object wrapped, Method method, Object... arguments) throws Throwable {
        Object[] passed = arguments == null ? new Object[0] : arguments.clone();
        boolean isStatement =
                method.getName().startsWith("execute") || method.getName().startsWith("prepare");
        if (isStatement && passed.length > 0 && passed[0] instanceof String sql) {
            passed[0] = statements.apply(sql);
        }
        try {
            Object result = method.invoke(wrapped, passed);
            boolean isNew = wrapped instanceof Connection && result instanceof Statement;
            return isNew
                    ? wrap(result, result instanceof PreparedStatement ? PreparedStatement.class : Statement.class)
                    : result;
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
