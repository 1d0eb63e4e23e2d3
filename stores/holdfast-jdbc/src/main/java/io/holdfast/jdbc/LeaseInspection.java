package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.NameFilter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lists the holders of names. It only reads, and locks nothing. */
final class LeaseInspection {

    private final Session session;
    private final LeaseSql sql;

    LeaseInspection(Session session, LeaseSql sql) {
        this.session = session;
        this.sql = sql;
    }

    List<LockInfo> of(NameFilter filter) throws SQLException {
        List<LockInfo> infos = new ArrayList<>();
        for (Map.Entry<String, LeaseRow> entry : rows(filter).entrySet()) {
            LeaseRow row = entry.getValue();
            List<Share> shares = row.isHeldByOne() ? List.of(Share.whole(row)) : sql.shares(session, entry.getKey());
            List<LockInfo.Holder> holders = shares.stream()
                    .filter(share -> share.endsAt() > row.now)
                    .map(share -> share.holder(row.now))
                    .toList();
            if (!holders.isEmpty()) {
                infos.add(new LockInfo(entry.getKey(), row.capacity, holders, 0, List.of()));
            }
        }
        return infos;
    }

    private Map<String, LeaseRow> rows(NameFilter filter) throws SQLException {
        LeaseSql.Name first = new LeaseSql.Name(filter.text());
        if (filter.match() == NameFilter.Match.EXACT) {
            return sql.rows(session, LeaseSql.INSPECT_ONE, first);
        }
        String end = Names.after(filter.text());
        return end == null
                ? sql.rows(session, LeaseSql.INSPECT_FROM, first, filter.limit())
                : sql.rows(session, LeaseSql.INSPECT_RANGE, first, new LeaseSql.Name(end), filter.limit());
    }
}
