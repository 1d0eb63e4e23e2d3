package io.holdfast.jdbc.internal.sweep;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.SqlLists;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Removes the rows of names that were not used for the retention time. Every process scans the table in the order of the names, some hundred
 * rows at a time by the index, after all other requests that wait for a connection. It starts at a name that it uses, so that short-lived
 * processes start at different places.
 */
public final class RowSweeper implements AutoCloseable {

    private static final System.Logger LOG = StoreLog.LOGGER;

    /** How many rows are read in a step. */
    public static final int PAGE_SIZE = 500;

    /** Between two steps: 500 rows in a second are 43 million in a day. */
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private static final long BUSY_INTERVAL = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long INTERVAL_AFTER_FAILURE = TimeUnit.MINUTES.toNanos(1);

    private final String store;
    private final Environment environment;
    private final ConnectionWorkers workers;
    private final Dialect dialect;
    private final Sql sql;
    private volatile boolean closed;
    private volatile Scheduler.Task task;
    /** The name after which the next step begins. */
    private volatile @Nullable String cursor;
    /** Whether the present scan began at the beginning of the table. */
    private volatile boolean startedAtBeginning;
    /** Whether the last step failed. */
    private volatile boolean failed;

    /**
     * The statements.
     *
     * @param page reads names, and whether each may be removed. Parameters: the name after which to begin
     * @param lock locks the rows that no other session has locked, and reads their names. Parameters: the same as of deletes
     * @param deletes removes names that may be removed. Parameters: {@link SqlLists#MAX_SIZE} names
     * @param retention the time after which the row of an unused name is removed
     */
    public record Sql(String page, String lock, List<String> deletes, Duration retention) {

        /** Reads a page of names, and whether each is old. Parameter: the name after which it begins. */
        public static String page(String table, String isOld) {
            return "SELECT name, CASE WHEN " + isOld + " THEN 1 ELSE 0 END FROM " + table
                    + " WHERE name > ? ORDER BY name LIMIT " + PAGE_SIZE;
        }

        /** Locks those rows that no other session has locked, and reads their names. Parameters: {@link SqlLists#MAX_SIZE} names. */
        public static String lock(Dialect dialect, String table) {
            return "SELECT name FROM " + table + " WHERE name IN " + SqlLists.placeholders(SqlLists.MAX_SIZE)
                    + dialect.forUpdate() + dialect.skipLocked();
        }
    }

    public RowSweeper(String store, Environment environment, ConnectionWorkers workers, Dialect dialect, Sql sql) {
        this.store = store;
        this.environment = environment;
        this.workers = workers;
        this.dialect = dialect;
        this.sql = sql;
        this.task = environment.scheduler().schedule(this::step, (long)
                (INTERVAL * environment.random().getAsDouble()));
    }

    /** This process uses that name: the first scan starts there. */
    public void startNear(String name) {
        if (cursor == null) {
            cursor = name;
        }
    }

    private void step() {
        var unused = workers.call(ConnectionWorker.Priority.POLL, this::step).whenComplete((pause, failure) -> {
            if (closed) {
                return;
            }
            if (failure != null) {
                // Once, until a step succeeds.
                System.Logger.Level level = failed ? System.Logger.Level.DEBUG : System.Logger.Level.INFO;
                LOG.log(
                        level,
                        store + ": some old rows could not be removed (" + failure
                                + "). Locks are not affected. The sweep continues in a minute, and retries these rows later.");
            }
            failed = failure != null;
            schedule(pause == null ? atMost(INTERVAL_AFTER_FAILURE) : pause);
        });
    }

    /** Returns the time until the next step. */
    private long step(Session session) throws SQLException {
        String from = cursor == null ? "" : cursor;
        if (from.isEmpty()) {
            startedAtBeginning = true;
        }
        List<String> old = new ArrayList<>();
        String last = null;
        int count = 0;
        PreparedStatement page = session.prepare(sql.page);
        dialect.setName(page, 1, from);
        try (ResultSet rows = page.executeQuery()) {
            while (rows.next()) {
                last = dialect.name(rows, 1);
                count++;
                if (rows.getInt(2) == 1) {
                    old.add(last);
                }
            }
        }
        boolean isEnd = count < PAGE_SIZE;
        // After the end of the table it continues at the beginning, once. It does not stop at rows that cannot be
        // removed.
        cursor = isEnd ? "" : last;
        for (int i = 0; i < old.size(); i += SqlLists.MAX_SIZE) {
            delete(session, old.subList(i, Math.min(old.size(), i + SqlLists.MAX_SIZE)));
        }
        if (isEnd) {
            return startedAtBeginning ? atMost(sql.retention.toNanos() / 4) : INTERVAL;
        }
        return old.size() > PAGE_SIZE / 2 ? BUSY_INTERVAL : INTERVAL;
    }

    /** Leaves out rows that another session has locked: they may stay locked for hours. */
    private void delete(Session session, List<String> names) throws SQLException {
        session.inTransaction(same -> {
            Set<String> unlocked = new LinkedHashSet<>();
            try (ResultSet rows = prepare(same, sql.lock, names).executeQuery()) {
                while (rows.next()) {
                    unlocked.add(dialect.name(rows, 1));
                }
            }
            if (!unlocked.isEmpty()) {
                for (String statement : sql.deletes) {
                    prepare(same, statement, List.copyOf(unlocked)).executeUpdate();
                }
            }
            return unlocked;
        });
    }

    private PreparedStatement prepare(Session session, String statement, List<String> names) throws SQLException {
        PreparedStatement prepared = session.prepare(statement);
        for (int i = 0; i < SqlLists.MAX_SIZE; i++) {
            dialect.setName(prepared, 1 + i, names.get(Math.min(i, names.size() - 1)));
        }
        return prepared;
    }

    /** With jitter, so that processes do not sweep at the same time. */
    private long atMost(long pause) {
        return (long) (pause * (0.5 + 0.5 * environment.random().getAsDouble()));
    }

    private void schedule(long pause) {
        Scheduler.Task next = environment.scheduler().schedule(this::step, pause);
        task = next;
        // Either this or close() is second, and cancels it.
        if (closed) {
            next.cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        task.cancel();
    }
}
