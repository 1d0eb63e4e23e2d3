package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.NameFilter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Lists the holders of names. It only reads, and locks nothing. Names by prefix are read in pages of the index, after everything else that
 * waits for a connection: most of them may be idle, and the table may have millions.
 */
final class LeaseInspection {

    private final Lanes lanes;
    private final LeaseSql sql;

    LeaseInspection(Lanes lanes, LeaseSql sql) {
        this.lanes = lanes;
        this.sql = sql;
    }

    CompletableFuture<List<LockInfo>> of(NameFilter filter) {
        if (filter.match() == NameFilter.Match.EXACT) {
            return lanes.call(session ->
                    infos(session, sql.rows(session, LeaseSql.INSPECT_ONE, new LeaseSql.Name(filter.text()))));
        }
        return from(filter.text(), filter, new ArrayList<>());
    }

    /** Adds those from that name on to what was found. */
    private CompletableFuture<List<LockInfo>> from(String name, NameFilter filter, List<LockInfo> found) {
        return lanes.call(Lane.Priority.POLL, session -> {
                    String next = sql.name(session, LeaseSql.NEXT_PAGE, new LeaseSql.Name(name));
                    boolean isLast = next == null || !next.startsWith(filter.text());
                    String end = isLast ? Names.after(filter.text()) : next;
                    found.addAll(infos(session, rows(session, name, end, filter.limit() - found.size())));
                    return isLast || found.size() >= filter.limit() ? "" : String.valueOf(next);
                })
                .thenCompose(
                        next -> next.isEmpty() ? CompletableFuture.completedFuture(found) : from(next, filter, found));
    }

    private Map<String, LeaseRow> rows(Session session, String name, @Nullable String end, int limit)
            throws SQLException {
        return end == null
                ? sql.rows(session, LeaseSql.INSPECT_FROM, new LeaseSql.Name(name), limit)
                : sql.rows(session, LeaseSql.INSPECT_RANGE, new LeaseSql.Name(name), new LeaseSql.Name(end), limit);
    }

    private List<LockInfo> infos(Session session, Map<String, LeaseRow> rows) throws SQLException {
        List<LockInfo> infos = new ArrayList<>();
        for (Map.Entry<String, LeaseRow> entry : rows.entrySet()) {
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
}
