package io.holdfast.soak;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A planted bug: whoever sees that the row is free writes itself into it, in a second statement. Exclusive locks only. No two
 * tokens are the same: with those of a clock they could be, and no fence tells two such holders apart.
 */
final class NaiveSqlLocker implements Locker {

    private static final int LIMIT_MILLIS = 2_000;

    private final String url;
    private final ReentrantLock use = new ReentrantLock();
    private @Nullable Connection connection;

    NaiveSqlLocker(Store store, String url, String process) {
        this.url = url;
        // It makes the table, and that is all it is used for.
        store.locker(url, process).close();
    }

    @Override
    public Optional<Possession> obtain(Wish wish) {
        if (wish.role() != Role.OWNER) {
            return Optional.empty();
        }
        String name = wish.names().get(0);
        long end = System.nanoTime() + wish.maxWait().toNanos();
        do {
            long asked = System.nanoTime();
            long token = take(name, wish.lease());
            if (token > 0) {
                NaiveLease lease =
                        new NaiveLease(name, token, asked + wish.lease().toNanos(), () -> giveBack(name, token));
                return Optional.of(new Possession(List.of(lease), lease::release));
            }
            Length.pass(Duration.ofMillis(5));
        } while (System.nanoTime() < end);
        return Optional.empty();
    }

    /** Its token, or 0. */
    private long take(String name, Duration lease) {
        use.lock();
        try {
            long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
            if (endsAt(name) > now) {
                return 0;
            }
            try (PreparedStatement take = open().prepareStatement(
                            "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                                    + " VALUES (?, 1, 0, 1, 0, ?) ON CONFLICT (name) DO UPDATE SET"
                                    + " last_token = holdfast_lease.last_token + 1, ends_at = excluded.ends_at"
                                    + " RETURNING last_token")) {
                take.setString(1, name);
                take.setLong(2, now + lease.toNanos() / 1_000);
                try (ResultSet row = take.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        } catch (SQLException unreachable) {
            close();
            return 0;
        } finally {
            use.unlock();
        }
    }

    private long endsAt(String name) throws SQLException {
        try (Statement look = open().createStatement();
                ResultSet row = look.executeQuery("SELECT ends_at FROM holdfast_lease WHERE name = '" + name + "'")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private boolean giveBack(String name, long token) {
        use.lock();
        try (Statement free = open().createStatement()) {
            return free.executeUpdate("UPDATE holdfast_lease SET ends_at = 0 WHERE name = '" + name
                            + "' AND last_token = " + token)
                    == 1;
        } catch (SQLException unreachable) {
            close();
            return false;
        } finally {
            use.unlock();
        }
    }

    private Connection open() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = DriverManager.getConnection(url);
            connection = open;
            open.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);
        }
        return open;
    }

    @Override
    public void close() {
        use.lock();
        try {
            Connection open = connection;
            connection = null;
            if (open != null) {
                open.close();
            }
        } catch (SQLException broken) {
            // It is of no more use either way.
        } finally {
            use.unlock();
        }
    }
}
