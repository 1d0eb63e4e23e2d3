package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who holds what. It only reads, and holds nobody up. */
final class LeaseInspection {

    private final Session session;
    private final LeaseSql sql;
    private final Dialect dialect;

    LeaseInspection(Session session, LeaseSql sql, Dialect dialect) {
        this.session = session;
        this.sql = sql;
        this.dialect = dialect;
    }

    List<LockInfo> of(NameFilter filter) throws SQLException {
        PreparedStatement statement;
        if (filter.match() == NameFilter.Match.EXACT) {
            statement = session.prepare(sql.inspectOne);
            dialect.setName(statement, 1, filter.text());
        } else {
            String end = Names.after(filter.text());
            statement = session.prepare(end == null ? sql.inspectFrom : sql.inspectRange);
            dialect.setName(statement, 1, filter.text());
            if (end != null) {
                dialect.setName(statement, 2, end);
            }
            statement.setInt(end == null ? 2 : 3, filter.limit());
        }
        Map<String, LeaseRow> found = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                found.put(dialect.name(rows, LeaseRow.NAME), LeaseRow.of(rows));
            }
        }
        List<LockInfo> infos = new ArrayList<>();
        for (Map.Entry<String, LeaseRow> entry : found.entrySet()) {
            LeaseRow row = entry.getValue();
            List<LockInfo.Holder> holders =
                    row.isHeldByOne() ? List.of(holder(row)) : holders(entry.getKey(), row.now());
            if (!holders.isEmpty()) {
                infos.add(new LockInfo(entry.getKey(), row.capacity(), holders, 0, List.of()));
            }
        }
        return infos;
    }

    private static LockInfo.Holder holder(LeaseRow row) {
        return new LockInfo.Holder(
                OwnerText.parse(String.valueOf(row.owner())),
                row.capacity(),
                row.firstToken(),
                (int) (row.lastToken() - row.firstToken() + 1),
                LeaseTable.micros(row.now() - row.grantedAt()),
                LeaseTable.micros(row.left()));
    }

    private List<LockInfo.Holder> holders(String name, long now) throws SQLException {
        PreparedStatement statement = session.prepare(sql.shares);
        dialect.setName(statement, 1, name);
        List<LockInfo.Holder> holders = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Share share = Share.of(rows);
                if (share.endsAt() > now) {
                    holders.add(new LockInfo.Holder(
                            OwnerText.parse(share.owner()),
                            share.units(),
                            share.firstToken(),
                            (int) (share.lastToken() - share.firstToken() + 1),
                            LeaseTable.micros(now - share.grantedAt()),
                            LeaseTable.micros(share.endsAt() - now)));
                }
            }
        }
        return holders;
    }
}
