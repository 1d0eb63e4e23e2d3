package io.holdfast.jdbc;

import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.JdbcUrl;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import java.nio.file.Path;
import javax.sql.DataSource;

/**
 * Distributed locks in a SQL database: PostgreSQL, MariaDB, MySQL 8 and later, H2, SQLite.
 *
 * <pre>{@code
 * Holdfast.connect("jdbc:postgresql://db/app?user=app");                       // a lease table
 * Holdfast.connect("file:/var/lib/app/locks");                                 // the same, in a file
 * Holdfast.builder(JdbcStore.leaseTable(url).createTables()).build();
 * Holdfast.builder(JdbcStore.sessionLocks(url)).build();                 // GET_LOCK, advisory locks
 * }</pre>
 */
public final class JdbcStore {

    private JdbcStore() {}

    /** A lease table in the database that the URL names, on dedicated connections. */
    public static JdbcStoreBuilder leaseTable(String url) {
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.LEASE, UrlConnectionSource.of(url));
    }

    /**
     * A lease table, on connections of the application's {@code DataSource}, which is often a pool. The store borrows
     * {@link JdbcStoreBuilder#connections} of them when it is opened, and on PostgreSQL one more for notifications. It keeps them, so that
     * connection pool exhaustion by the application does not affect it, and exchanges them for fresh ones every five minutes. Opening it
     * fails if the pool has no connection left for the application then.
     */
    public static JdbcStoreBuilder leaseTable(DataSource dataSource) {
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.LEASE, DataSourceConnectionSource.of(dataSource));
    }

    /**
     * A lease table in a file, for the processes of one machine. The file and its folder are created if they are missing. It needs
     * SQLite's driver, {@code org.xerial:sqlite-jdbc}. A file on a network file system is refused: SQLite cannot lock there.
     */
    public static JdbcStoreBuilder file(Path path) {
        return JdbcStoreBuilder.file(path);
    }

    /**
     * Locks of database sessions, on dedicated connections: {@code GET_LOCK} of MySQL and MariaDB, advisory locks of
     * PostgreSQL. They end with the session, and so the next waiter acquires the lock at once when a process dies.
     */
    public static JdbcStoreBuilder sessionLocks(String url) {
        UrlConnectionSource source = UrlConnectionSource.of(url);
        JdbcUrl.of(url).checkUnpooled();
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.SESSION, source);
    }

    /**
     * Locks of database sessions, on dedicated connections of a {@code DataSource} that ends the session when a connection is
     * closed, as the drivers' own do ({@code PGSimpleDataSource}, {@code MariaDbDataSource}, {@code MysqlDataSource}). A
     * connection pool keeps sessions, and with them the locks: it is refused when the store is opened.
     */
    public static JdbcStoreBuilder sessionLocks(DataSource dataSource) {
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.SESSION, DataSourceConnectionSource.of(dataSource));
    }
}
