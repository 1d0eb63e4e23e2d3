package io.holdfast.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** What the libraries that want a data source get: HikariCP with its default settings. */
final class Pool {

    private Pool() {}

    static DataSource of(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        return new HikariDataSource(config);
    }
}
