package io.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Sends statements as a read/write-splitting proxy does: a SELECT that locks nothing, outside of a transaction, goes to the replica. */
final class SplittingDataSource extends AbstractDataSource {

    private final String primary;
    private final String replica;
    private final @Nullable String product;

    /** @param product the name that the database shall have; null for its own */
    SplittingDataSource(String primary, String replica, @Nullable String product) {
        this.primary = primary;
        this.replica = replica;
        this.product = product;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection writes = DriverManager.getConnection(primary);
        Connection reads = DriverManager.getConnection(replica);
        return proxy(Connection.class, (method, arguments) -> switch (method.getName()) {
            case "prepareStatement" -> statement(writes, reads, method, arguments);
            case "getMetaData" -> named(writes.getMetaData());
            case "close", "abort" -> {
                reads.close();
                yield invoke(method, writes, arguments);
            }
            default -> invoke(method, writes, arguments);
        });
    }

    private Object statement(Connection writes, Connection reads, Method method, Object[] arguments) throws Throwable {
        String sql = ((String) arguments[0]).toUpperCase(Locale.ROOT);
        Object onPrimary = invoke(method, writes, arguments);
        if (!sql.startsWith("SELECT") || sql.contains("FOR UPDATE") || !sql.contains("HOLDFAST_")) {
            return onPrimary;
        }
        Object onReplica = invoke(method, reads, arguments);
        return proxy(PreparedStatement.class, (called, with) -> {
            if (called.getName().startsWith("set") || called.getName().equals("close")) {
                invoke(called, onPrimary, with);
                return invoke(called, onReplica, with);
            }
            return invoke(called, writes.getAutoCommit() ? onReplica : onPrimary, with);
        });
    }

    private DatabaseMetaData named(DatabaseMetaData about) {
        return proxy(
                DatabaseMetaData.class,
                (method, arguments) -> product != null && method.getName().equals("getDatabaseProductName")
                        ? product
                        : product != null && method.getName().equals("getDatabaseProductVersion")
                                ? "8.0.36"
                                : invoke(method, about, arguments));
    }

    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException();
    }

    private interface Call {
        @Nullable
        Object on(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call.on(method, arguments == null ? new Object[0] : arguments)));
    }

    private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
