package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The statements for claims to the whole of a name. Each decides by itself. */
final class WholeLeases {

    private final LeaseSql sql;
    private final Dialect dialect;
    private final Shares shares;
    private final PollPace pace;

    WholeLeases(LeaseSql sql, Dialect dialect, Shares shares, PollPace pace) {
        this.shares = shares;
        this.sql = sql;
        this.dialect = dialect;
        this.pace = pace;
    }

    /** Acquires the name if it is free. Returns the row as it is then. */
    LeaseRow take(Session session, Claim claim) throws SQLException {
        String take = sql.take;
        if (take == null) {
            return shares.takeAll(session, claim);
        }
        return session.alone(same -> {
            LeaseRow row = dialect.takeAnswers()
                    ? answer(prepare(same.prepare(take), claim), claim)
                    : numbered(prepare(same.prepareWithKey(take), claim), claim);
            row = row == null ? LockedName.read(same, sql.lock, dialect, claim.name()) : row;
            if (row == null) {
                throw new SQLException("The row of '" + claim.name() + "' was removed just now.", "40001");
            }
            return row;
        });
    }

    private PreparedStatement prepare(PreparedStatement statement, Claim claim) throws SQLException {
        dialect.setName(statement, 1, claim.name());
        statement.setInt(2, claim.capacity());
        statement.setString(3, claim.id().toString());
        statement.setLong(4, LeaseTable.tokens(claim));
        statement.setLong(5, LeaseTable.micros(claim.lease()));
        statement.setString(6, WaitQueue.owner(claim));
        if (sql.tell != null) {
            statement.setLong(7, claim.mode() == Claim.Mode.WAIT ? pace.placeMicros() : 0);
        }
        return statement;
    }

    private static @Nullable LeaseRow answer(PreparedStatement statement, Claim claim) throws SQLException {
        try (ResultSet rows = Dialect.rows(statement)) {
            LeaseRow row = rows.next() ? LeaseRow.of(rows) : null;
            // To its end: SQLite answers first and commits then, and reports by the next step that it could not.
            if (row != null && rows.next()) {
                throw new SQLException("Two rows for '" + claim.name() + "'.");
            }
            return row;
        }
    }

    /** See {@link MySql#answering}. Null if the name is not free. */
    private static @Nullable LeaseRow numbered(PreparedStatement statement, Claim claim) throws SQLException {
        statement.executeUpdate();
        try (ResultSet keys = statement.getGeneratedKeys()) {
            long number = keys.next() ? keys.getLong(1) : 0;
            if (number == 0) {
                return null;
            }
            long tokens = number % 128 == 0 ? LeaseTable.tokens(claim) : number % 128;
            return LeaseRow.granted(claim, number / 128, number / 128 + tokens - 1);
        }
    }

    /**
     * Releases the name; whether the claim held it.
     *
     * @param isWaitedFor whether others probably wait for it
     */
    boolean release(Session session, Claim claim, boolean isWaitedFor) throws SQLException {
        String handOver = sql.handOver;
        if (handOver == null) {
            return update(session, sql.release, claim);
        }
        // The statement without the queue is cheaper.
        return (!isWaitedFor && update(session, sql.release, claim)) || update(session, handOver, claim);
    }

    /** Lets the lease expire sooner; false if the claim does not hold the whole name, or if the driver counts changed rows only. */
    boolean shorten(Session session, Claim claim, long micros) throws SQLException {
        PreparedStatement shorten = session.prepare(sql.shorten);
        shorten.setLong(1, micros);
        shorten.setLong(2, micros);
        dialect.setName(shorten, 3, claim.name());
        shorten.setString(4, claim.id().toString());
        return session.alone(same -> shorten.executeUpdate()) == 1;
    }

    /** Puts the claim into the row as the next. If the row is locked, it is not worth waiting for. */
    void reserve(Session session, Claim claim) throws SQLException {
        PreparedStatement reserve = session.prepare(sql.reserve);
        reserve.setString(1, claim.id().toString());
        reserve.setLong(2, pace.reservationMicros());
        dialect.setName(reserve, 3, claim.name());
        reserve.setString(4, claim.id().toString());
        try {
            session.alone(same -> reserve.executeUpdate());
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
        }
    }

    /** The claim is not the next any more. */
    void unreserve(Session session, Claim claim) throws SQLException {
        update(session, sql.unreserve, claim);
    }

    private boolean update(Session session, String statement, Claim claim) throws SQLException {
        PreparedStatement update = session.prepare(statement);
        dialect.setName(update, 1, claim.name());
        update.setString(2, claim.id().toString());
        return session.alone(same -> isOne(update));
    }

    /** Whether a statement that answers with rows or with a count of them was about one. */
    private static boolean isOne(PreparedStatement statement) throws SQLException {
        if (statement.execute()) {
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next();
            }
        }
        return statement.getUpdateCount() == 1;
    }
}
