package io.holdfast.jdbc;

import javax.sql.DataSource;

/**
 * Locks in a database: PostgreSQL, MariaDB, MySQL 8 and later, H2, SQLite.
 *
 * <pre>{@code
 * Holdfast.connect("jdbc:postgresql://db/app?user=app");                       // a table of leases
 * Holdfast.builder(JdbcStore.leaseTable(url).createTables()::open).build();
 * }</pre>
 */
public final class JdbcStore {

    private JdbcStore() {}

    /** A table of leases in the database behind a URL, on connections of its own. */
    public static JdbcStoreBuilder leaseTable(String url) {
        return new JdbcStoreBuilder(UrlSource.of(url), Settings.defaults("holdfast_lease"));
    }

    /**
     * A table of leases, on connections that are borrowed from a pool for each request. The pool should be one that nothing else
     * uses: where all of its connections are taken, locks can be neither renewed nor given back.
     */
    public static JdbcStoreBuilder leaseTable(DataSource dataSource) {
        return new JdbcStoreBuilder(new PoolSource(dataSource), Settings.defaults("holdfast_lease"));
    }
}
