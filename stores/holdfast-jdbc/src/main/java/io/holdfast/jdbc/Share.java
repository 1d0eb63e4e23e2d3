package io.holdfast.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/** A claim that has a part of a name. */
record Share(String claim, int units, long firstToken, long lastToken, long grantedAt, long endsAt, String owner) {

    static Share of(ResultSet row) throws SQLException {
        return new Share(
                row.getString(1),
                row.getInt(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7));
    }

    Share with(int fewer, long end) {
        return new Share(claim, fewer, firstToken, lastToken, grantedAt, end, owner);
    }
}
