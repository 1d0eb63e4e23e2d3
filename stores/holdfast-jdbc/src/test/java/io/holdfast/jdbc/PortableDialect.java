package io.holdfast.jdbc;

import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.lease.LeaseSql;
import io.holdfast.jdbc.internal.lease.LeaseTableStore;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import java.sql.SQLException;
import java.time.Duration;

/** The least that a dialect needs, without a statement that acquires a name: the time, an insert of a row, and how names are stored. */
final class PortableDialect extends Dialect {

    private final Dialect own;

    private PortableDialect(Dialect own) {
        this.own = own;
    }

    /** A lease table on the database, with this dialect only. */
    static LockStore open(String url, Environment environment) {
        JdbcStore.leaseTable(url).createTables().open(environment).close();
        StoreSettings settings = new StoreSettings("holdfast_lease", 2, Duration.ofSeconds(5), Duration.ofDays(1));
        UrlConnectionSource source = UrlConnectionSource.of(url);
        try (Session session = source.open(Duration.ofSeconds(5))) {
            Dialect dialect = new PortableDialect(Dialect.of(session.connection()));
            LeaseSql sql = new LeaseSql(dialect, settings.table(), settings.table());
            ConnectionWorkers workers = new ConnectionWorkers(
                    settings.connections(), source, dialect, settings.timeout(), environment.ticker());
            return new LeaseTableStore(source, environment, dialect, sql, workers, null, settings);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public String script() {
        return own.script();
    }

    @Override
    public String now() {
        return own.now();
    }

    @Override
    public String ensureRow() {
        return own.ensureRow();
    }

    @Override
    public boolean isCollision(SQLException failure) {
        return own.isCollision(failure);
    }

    @Override
    public boolean storesBytes() {
        return own.storesBytes();
    }
}
