package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.SqlLists;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.LockInfos;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the holders of names. It only reads, and locks nothing. Names by prefix are read in pages of the index, and renewals and requests are
 * executed before each page: most names may be idle, and the table may have millions.
 */
final class LeaseInspection {

    private static final int MAX_TIMEOUTS = 6;

    private final ConnectionWorkers workers;
    private final LeaseSql sql;
    private final Ticker ticker;
    private final Duration limit;
    private final long startedAt;

    /** @param timeout of one statement */
    LeaseInspection(ConnectionWorkers workers, LeaseSql sql, Ticker ticker, Duration timeout) {
        this.workers = workers;
        this.sql = sql;
        this.ticker = ticker;
        this.limit = timeout.multipliedBy(MAX_TIMEOUTS);
        this.startedAt = ticker.nanos();
    }

    CompletableFuture<List<LockInfo>> of(NameFilter filter) {
        if (filter.match() == NameFilter.Match.EXACT) {
            return workers.call(session -> {
                LeaseSql.Name name = new LeaseSql.Name(filter.text());
                return infos(session, sql.rows(session, LeaseSql.READ_ROWS, List.of(name)), 1);
            });
        }
        return page(filter.text(), filter, new ArrayList<>());
    }

    /** Adds the names of the page that begins with that name, and of all pages after it. */
    private CompletableFuture<List<LockInfo>> page(String first, NameFilter filter, List<LockInfo> found) {
        return workers.call(ConnectionWorker.Priority.POLL, session -> {
                    if (ticker.nanos() - startedAt > limit.toNanos()) {
                        throw new SQLException("inspect('" + filter.text() + "') was aborted after " + limit
                                + ": it has read the names before '" + first + "'. Use a longer prefix.");
                    }
                    LeaseSql.Name from = new LeaseSql.Name(first);
                    String next = sql.name(session, LeaseSql.NEXT_PAGE, from);
                    boolean last = next == null || !next.startsWith(filter.text());
                    String end = last ? NamePrefix.after(filter.text()) : next;
                    Map<String, LeaseRow> rows = end == null
                            ? sql.rows(session, LeaseSql.INSPECT_FROM, from)
                            : sql.rows(session, LeaseSql.INSPECT_RANGE, from, new LeaseSql.Name(end));
                    found.addAll(infos(session, rows, filter.limit() - found.size()));
                    return last || found.size() >= filter.limit()
                            ? Optional.<String>empty()
                            : Optional.ofNullable(next);
                })
                .thenCompose(next ->
                        next.isEmpty() ? CompletableFuture.completedFuture(found) : page(next.get(), filter, found));
    }

    private List<LockInfo> infos(Session session, Map<String, LeaseRow> rows, int limit) throws SQLException {
        List<LockInfo> infos = new ArrayList<>();
        List<String> names = List.copyOf(rows.keySet());
        for (int from = 0; from < names.size() && infos.size() < limit; from += SqlLists.MAX_SIZE) {
            Map<String, LeaseRow> some = new LinkedHashMap<>();
            for (String name : names.subList(from, Math.min(names.size(), from + SqlLists.MAX_SIZE))) {
                some.put(name, Objects.requireNonNull(rows.get(name)));
            }
            Map<String, List<LeaseHolder>> holders = sql.holders(session, some);
            some.forEach((name, row) -> {
                List<LockInfo.Holder> live = holders.getOrDefault(name, List.of()).stream()
                        .map(holder -> holder.toInfo(row.capacity, row.now))
                        .toList();
                if (!live.isEmpty() && infos.size() < limit) {
                    infos.add(LockInfos.of(name, row.capacity, live, 0, List.of()));
                }
            });
        }
        return infos;
    }
}
