package io.holdfast.benchmarks.jdbc;

import io.holdfast.servers.MariaDbServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** MariaDB. It counts what is sent to it by itself. */
final class MariaDbHost extends SqlHost {

    private static final String OTHERS =
            "FROM information_schema.processlist WHERE user = 'holdfast' AND db = 'holdfast'";
    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    /** How many of them are asked to find out how many there were. */
    private static final int QUESTIONS = 2;

    private Tally mark = new Tally(0, 0);

    MariaDbHost() {
        super(
                MariaDbServer.start("innodb-flush-log-at-trx-commit=1"),
                "information_schema",
                "mysql",
                DataRow.MARIADB_TABLE);
    }

    @Override
    void recreate(Query observer) {
        for (long id : others(observer)) {
            try {
                observer.execute("KILL " + id);
            } catch (IllegalStateException gone) {
                // Then it need not be killed.
            }
        }
        while (connections(observer) > 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        observer.execute("DROP DATABASE IF EXISTS holdfast", "CREATE DATABASE holdfast");
    }

    private static List<Long> others(Query observer) {
        List<Long> ids = new ArrayList<>();
        try (Statement statement = observer.connection().createStatement();
                ResultSet rows = statement.executeQuery("SELECT id " + OTHERS)) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids;
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    int connections(Query observer) {
        return (int) observer.number("SELECT count(*) " + OTHERS);
    }

    @Override
    void beginCounting() {}

    @Override
    void mark() {
        mark = read();
    }

    @Override
    Tally counted() {
        Tally now = read();
        return new Tally(now.statements() - mark.statements() - QUESTIONS, now.transactions() - mark.transactions());
    }

    private Tally read() {
        long transactions = status("Handler_commit");
        return new Tally(status("Questions"), transactions);
    }

    private long status(String name) {
        return control()
                .number("SELECT variable_value FROM information_schema.global_status WHERE variable_name = '" + name
                        + "'");
    }

    @Override
    String logQuery() {
        return "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Innodb_os_log_written'";
    }

    @Override
    String insertNames() {
        return insertNames(
                "CONCAT('order:', LPAD(seq, 9, '0'))",
                "seq",
                "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
                "seq_%1$d_to_%2$d");
    }

    @Override
    void endCounting() {}
}
