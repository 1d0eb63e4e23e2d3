package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        Object[] wanted = wanted(claim);
        return session.alone(same -> {
            LeaseRow row = dialect.takeAnswers()
                    ? answer(sql.prepare(same, take, wanted), claim)
                    : numbered(sql.prepareWithKey(same, take, wanted), claim);
            row = row == null ? sql.row(same, LeaseSql.LOCK, claim.name()) : row;
            if (row == null) {
                throw new SQLException("The row of '" + claim.name() + "' was removed just now.", "40001");
            }
            return row;
        });
    }

    private Object[] wanted(Claim claim) {
        List<Object> values = new ArrayList<>(Arrays.asList(
                new LeaseSql.Name(claim.name()),
                claim.capacity(),
                claim.id(),
                LeaseTable.tokens(claim),
                LeaseTable.micros(claim.lease()),
                WaitQueue.owner(claim)));
        if (sql.hasQueue()) {
            values.add(claim.mode() == Claim.Mode.WAIT ? pace.placeMicros() : 0);
        }
        return values.toArray();
    }

    private static @Nullable LeaseRow answer(PreparedStatement statement, Claim claim) throws SQLException {
        try (ResultSet rows = Dialect.rows(statement)) {
            LeaseRow row = rows.next() ? new LeaseRow(rows) : null;
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
            return new LeaseRow(claim, number / 128, number / 128 + tokens - 1);
        }
    }

    /** Releases the name; whether the claim held it. */
    boolean release(Session session, Claim claim) throws SQLException {
        return sql.changesOne(session, sql.release, new LeaseSql.Name(claim.name()), claim.id());
    }

    /** The claim is not the next any more. */
    void unreserve(Session session, Claim claim) throws SQLException {
        sql.changesOne(session, LeaseSql.UNRESERVE, new LeaseSql.Name(claim.name()), claim.id());
    }

    /** Puts the claim into the row as the next. If the row is locked, it is not worth waiting for. */
    void reserve(Session session, Claim claim) throws SQLException {
        try {
            sql.changesOne(
                    session,
                    LeaseSql.RESERVE,
                    claim.id(),
                    pace.reservationMicros(),
                    new LeaseSql.Name(claim.name()),
                    claim.id());
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
        }
    }
}
