package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;

/**
 * Connections of the application's {@link DataSource}. They are borrowed when the store is opened and kept, so that locks are renewed and
 * released while the application has taken all others. {@link Lane} and {@link Listening} exchange them from time to time.
 */
final class PoolSource implements Source {

    /** How long a connection is kept: less than pools let one live. */
    static final Duration KEPT = Duration.ofMinutes(5);

    private final DataSource dataSource;
    private final boolean swapped;
    private final Deque<Session> borrowed = new ConcurrentLinkedDeque<>();

    private PoolSource(DataSource dataSource, boolean swapped) {
        this.dataSource = dataSource;
        this.swapped = swapped;
    }

    static PoolSource of(DataSource dataSource) {
        return new PoolSource(dataSource, false);
    }

    @Override
    public String name() {
        return "jdbc (the application's DataSource)";
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        Session session = borrowed.poll();
        return session != null ? session : borrow(timeout);
    }

    private Session borrow(Duration timeout) throws SQLException {
        Session session = new Session(dataSource.getConnection());
        try {
            Dialect dialect = Dialect.of(session.connection());
            remember(session, dialect);
            dialect.limit(session.connection(), Dialect.limitFor(timeout));
            if (swapped) {
                dialect.useWithoutOwnSession(session, timeout);
            } else {
                dialect.setUp(session.connection(), timeout);
            }
            return session;
        } catch (SQLException | RuntimeException | Error failure) {
            session.discard(failure);
            throw failure;
        }
    }

    /** A connection goes back as it came: not every pool resets it. */
    private void remember(Session session, Dialect dialect) throws SQLException {
        Connection connection = session.connection();
        int limit = dialect.limitOf(connection);
        boolean autoCommit = connection.getAutoCommit();
        int isolation = connection.getTransactionIsolation();
        connection.setAutoCommit(true);
        Session.Step settings = swapped ? () -> {} : dialect.remember(connection);
        session.endWith(() -> {
            settings.run();
            if (connection.getTransactionIsolation() != isolation) {
                connection.setTransactionIsolation(isolation);
            }
            connection.setAutoCommit(autoCommit);
            dialect.limit(connection, limit);
        });
    }

    /**
     * Borrows as many connections as the store keeps, and one more to see that there is one for the application.
     *
     * @param listens whether one of them is for notifications
     * @throws IllegalStateException if the pool has fewer
     */
    void borrow(int statements, boolean listens, Duration timeout) {
        int kept = statements + (listens ? 1 : 0);
        Deque<Session> all = new ArrayDeque<>();
        try {
            while (all.size() <= kept) {
                all.add(borrow(timeout));
            }
        } catch (SQLException | RuntimeException failure) {
            all.forEach(session -> session.closeAfter(failure));
            throw new IllegalStateException(
                    "The DataSource gave only " + all.size() + " connections (" + failure.getMessage()
                            + "). Locks keep " + kept + " of them: " + statements + " for statements"
                            + (listens ? ", 1 for notifications" : "")
                            + "; and the application needs at least 1. Raise the maximum size of the pool to "
                            + (kept + 1)
                            + " or more, or use a URL: JdbcStore.leaseTable(url).",
                    failure);
        }
        Session spare = all.removeLast();
        borrowed.addAll(all);
        spare.closeQuietly();
    }

    @Override
    public Source settled(Duration timeout) throws SQLException {
        PoolSource careful = new PoolSource(dataSource, true);
        try (Session one = careful.borrow(timeout)) {
            if (!Dialect.of(one.connection()).boundsTransactionsAlone()) {
                return this;
            }
            try (Session other = careful.borrow(timeout)) {
                return Dialect.of(one.connection()).isSwapped(one.connection(), other.connection()) ? careful : this;
            }
        }
    }

    @Override
    public boolean hasOwnSessions() {
        return !swapped;
    }

    @Override
    public boolean isPool() {
        return true;
    }

    @Override
    public void close() {
        Session session = borrowed.poll();
        while (session != null) {
            session.closeQuietly();
            session = borrowed.poll();
        }
    }

    @Override
    public void warn() {
        if (swapped) {
            UrlSource.warnOfPooler(name());
        }
    }
}
