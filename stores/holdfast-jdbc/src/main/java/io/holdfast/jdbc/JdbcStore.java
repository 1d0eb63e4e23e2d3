package io.holdfast.jdbc;

import java.nio.file.Path;
import javax.sql.DataSource;

/**
 * Locks in a database: PostgreSQL, MariaDB, MySQL 8 and later, H2, SQLite.
 *
 * <pre>{@code
 * Holdfast.connect("jdbc:postgresql://db/app?user=app");                       // a table of leases
 * Holdfast.connect("file:/var/lib/app/locks");                                 // the same, in a file
 * Holdfast.builder(JdbcStore.leaseTable(url).createTables()::open).build();
 * Holdfast.builder(JdbcStore.sessionLocks(url)::open).build();                 // GET_LOCK, advisory locks
 * }</pre>
 */
public final class JdbcStore {

    private JdbcStore() {}

    /** A table of leases in the database behind a URL, on connections of its own. */
    public static JdbcStoreBuilder leaseTable(String url) {
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.LEASE, UrlSource.of(url));
    }

    /**
     * A table of leases, on connections that are borrowed from a pool of the application for each request. It works, but where
     * all connections are taken, locks can be neither renewed nor given back: prefer a URL, or a pool for locks alone and
     * {@link JdbcStoreBuilder#ownPool()}. Threads that are inside a transaction of Spring on that pool are refused.
     */
    public static JdbcStoreBuilder leaseTable(DataSource dataSource) {
        return new JdbcStoreBuilder(JdbcStoreBuilder.Kind.LEASE, PoolSource.shared(dataSource));
    }

    /**
     * A table of leases in a file of this machine, for its processes. The file and its folder are made if they are not there. It
     * takes SQLite's driver, {@code org.xerial:sqlite-jdbc}; and no file of a network, on which SQLite cannot lock.
     */
    public static JdbcStoreBuilder file(Path path) {
        return JdbcStoreBuilder.file(path);
    }

    /**
     * Locks of database sessions, on connections of their own: {@code GET_LOCK} of MySQL and MariaDB, advisory locks of
     * PostgreSQL. They end with the session, and so at once when a process dies.
     */
    public static JdbcStoreBuilder sessionLocks(String url) {
        return new JdbcStoreBuilder(
                JdbcStoreBuilder.Kind.SESSION, UrlSource.of(url).unpooled());
    }
}
