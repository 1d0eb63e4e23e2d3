package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Inside;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Supplier;

/** A row with a number that is read and written in two steps, over a connection of one thread that ends with the JVM. */
final class DataRow {

    private static final String TABLE = "TABLE data (id INT PRIMARY KEY, number BIGINT NOT NULL)";

    /** Not kept on disk: the time that a commit takes to get there would be most of a pass, and is no lock's doing. */
    static final String POSTGRES_TABLE = "CREATE UNLOGGED " + TABLE;

    static final String MARIADB_TABLE = "CREATE " + TABLE + " ENGINE = MEMORY";

    static final String ROW = "INSERT INTO data VALUES (1, 0)";
    static final String READ = "SELECT number FROM data WHERE id = 1";

    private final PreparedStatement read;
    private final PreparedStatement write;

    DataRow(String url) {
        Query query = new Query(url);
        read = query.prepare(READ);
        write = query.prepare("UPDATE data SET number = ? WHERE id = 1");
    }

    void increment() {
        try {
            write.setLong(1, value() + 1);
            write.executeUpdate();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private long value() throws SQLException {
        try (ResultSet rows = read.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Reads the number and writes the next one. Loses updates if two do it at once. */
    record CountUp() implements Inside {

        @Override
        public Supplier<Runnable> open(String address) {
            return () -> new DataRow(address)::increment;
        }
    }
}
