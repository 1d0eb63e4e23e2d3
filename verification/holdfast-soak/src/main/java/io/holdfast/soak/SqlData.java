package io.holdfast.soak;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Behind a column with the largest token seen, in the database of the locks, on a connection of its own. */
final class SqlData implements Data {

    /** A busy machine is no reason for not knowing what became of a write. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /*
     * A stale token changes no row. If one is changed, it is locked until the commit: so what follows in the transaction is
     * done under the fence.
     */
    private static final String RAISE =
            "UPDATE soak_data SET token = ?, length = length + ? WHERE name = ? AND token <= ?";

    private static final String LOOK = "SELECT length FROM soak_data WHERE name = ?";
    private static final String APPEND = "INSERT INTO soak_entry (name, place, token, id, seen)"
            + " SELECT name, length, ?, ?, ? FROM soak_data WHERE name = ?";

    private final String url;
    private final ReentrantLock use = new ReentrantLock();
    private @Nullable Connection connection;

    SqlData(String url) {
        this.url = url;
    }

    /** Something to do in a transaction. */
    private interface Work<T> {
        T on(Connection open) throws SQLException;
    }

    /** Looking raises the fence: a write of somebody earlier that came after it would not have been seen. */
    @Override
    public long look(String name, long token) {
        return inTransaction(open -> raise(open, name, token, 0) ? length(open, name) : -1);
    }

    @Override
    public boolean append(String name, FencedWrites.Entry entry) {
        return inTransaction(open -> {
            if (!raise(open, name, entry.token(), 1)) {
                return false;
            }
            try (PreparedStatement statement = open.prepareStatement(APPEND)) {
                statement.setLong(1, entry.token());
                statement.setString(2, entry.id());
                statement.setLong(3, entry.seen());
                statement.setString(4, name);
                statement.executeUpdate();
            }
            return true;
        });
    }

    private static boolean raise(Connection open, String name, long token, int more) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(RAISE)) {
            statement.setLong(1, token);
            statement.setInt(2, more);
            statement.setString(3, name);
            statement.setLong(4, token);
            return statement.executeUpdate() == 1;
        }
    }

    private static long length(Connection open, String name) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(LOOK)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private <T> T inTransaction(Work<T> work) {
        use.lock();
        try {
            Connection open = connection;
            if (open == null) {
                open = DriverManager.getConnection(url);
                connection = open;
                limit(open);
            }
            open.setAutoCommit(false);
            T result = work.on(open);
            // Which commits; after commit() SQLite's driver would begin the next transaction, and keep others out.
            open.setAutoCommit(true);
            return result;
        } catch (SQLException failure) {
            drop();
            throw new OutOfReachException(failure);
        } finally {
            use.unlock();
        }
    }

    private void limit(Connection open) throws SQLException {
        // There is no network before a file.
        if (!url.startsWith("jdbc:sqlite:")) {
            open.setNetworkTimeout(Runnable::run, (int) TIMEOUT.toMillis());
        }
    }

    private void drop() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException broken) {
                // It is of no more use either way.
            }
        }
    }

    @Override
    public void close() {
        use.lock();
        try {
            drop();
        } finally {
            use.unlock();
        }
    }
}
