package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.OwnerText;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A claim that has a part of a name. */
record Share(String claim, int units, long firstToken, long lastToken, long grantedAt, long endsAt, String owner) {

    /** Where the name stands, in the statement that reads shares. */
    static final int NAME = 8;

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

    /** The claim that holds all of it, as a share of all units. */
    static Share whole(LeaseRow row) {
        return new Share(
                String.valueOf(row.claim),
                row.capacity,
                row.firstToken,
                row.lastToken,
                row.grantedAt,
                row.endsAt,
                String.valueOf(row.owner));
    }

    Share with(int otherUnits, long end) {
        return new Share(claim, otherUnits, firstToken, lastToken, grantedAt, end, owner);
    }

    boolean has(long token) {
        return firstToken <= token && token <= lastToken;
    }

    LockInfo.Holder holder(long now) {
        return new LockInfo.Holder(
                OwnerText.parse(owner),
                units,
                firstToken,
                (int) (lastToken - firstToken + 1),
                LeaseTable.micros(now - grantedAt),
                LeaseTable.micros(endsAt - now));
    }
}
