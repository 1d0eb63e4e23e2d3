package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Micros;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.support.LockInfos;
import io.holdfast.spi.support.OwnerFormat;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A claim that holds a name, or a part of it. */
record LeaseHolder(
        String claim, int units, long firstToken, long lastToken, long grantedAt, long endsAt, String owner) {

    /** The column of the name, in the statement that reads holders. */
    static final int NAME = 8;

    static LeaseHolder of(ResultSet row) throws SQLException {
        return new LeaseHolder(
                row.getString(1),
                row.getInt(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7));
    }

    /** The claim that holds the whole name, with all units. */
    static LeaseHolder ofWholeName(LeaseRow row) {
        return new LeaseHolder(
                String.valueOf(row.claim),
                row.capacity,
                row.firstToken,
                row.lastToken,
                row.grantedAt,
                row.endsAt,
                String.valueOf(row.owner));
    }

    LeaseHolder with(int otherUnits, long end) {
        return new LeaseHolder(claim, otherUnits, firstToken, lastToken, grantedAt, end, owner);
    }

    boolean has(long token) {
        return firstToken <= token && token <= lastToken;
    }

    LockInfo.Holder toInfo(int capacity, long now) {
        return LockInfos.holder(
                OwnerFormat.parse(owner),
                capacity,
                units,
                firstToken,
                (int) (lastToken - firstToken + 1),
                Micros.toDuration(now - grantedAt),
                Micros.toDuration(endsAt - now));
    }
}
