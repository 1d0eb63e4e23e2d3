package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of names that claims wait for, up to 100 with one statement, after everything else that waits for a connection. It
 * locks nothing, and decides nothing: a replica may have answered. Entries in the wait queue that expire soon are refreshed with
 * one more statement.
 */
final class Lookups {

    private static final int LARGEST = 100;

    private final Lanes lanes;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final PollPace pace;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<Lookup> waiting = new ArrayDeque<>();
    private boolean running;

    private record Lookup(Claim claim, CompletableFuture<Optional<LeaseRow>> row) {}

    Lookups(Lanes lanes, LeaseSql sql, Dialect dialect, PollPace pace) {
        this.lanes = lanes;
        this.sql = sql;
        this.dialect = dialect;
        this.pace = pace;
    }

    /** The row of the name that the claim is for. */
    CompletableFuture<Optional<LeaseRow>> of(Claim claim) {
        Lookup lookup = new Lookup(claim, new CompletableFuture<>());
        mutex.lock();
        try {
            waiting.add(lookup);
            if (running) {
                return lookup.row;
            }
            running = true;
        } finally {
            mutex.unlock();
        }
        pace.gather(this::run);
        return lookup.row;
    }

    private void run() {
        var unused = lanes.call(Lane.Priority.POLL, session -> {
                    List<Lookup> some = next();
                    try {
                        answer(session, some);
                    } catch (SQLException | RuntimeException | Error failure) {
                        some.forEach(lookup -> lookup.row.completeExceptionally(failure));
                        throw failure;
                    }
                    return true;
                })
                .whenComplete((done, failure) -> goOn(failure));
    }

    private List<Lookup> next() {
        List<Lookup> some = new ArrayList<>();
        mutex.lock();
        try {
            while (!waiting.isEmpty() && some.size() < LARGEST) {
                some.add(waiting.remove());
            }
        } finally {
            mutex.unlock();
        }
        return some;
    }

    /** After a failure all others fail too, so that none waits for a connection that cannot be opened. */
    private void goOn(@Nullable Throwable failure) {
        List<Lookup> rest = new ArrayList<>();
        boolean more;
        mutex.lock();
        try {
            if (failure != null) {
                rest.addAll(waiting);
                waiting.clear();
            }
            more = !waiting.isEmpty();
            running = more;
        } finally {
            mutex.unlock();
        }
        if (failure != null) {
            rest.forEach(lookup -> lookup.row.completeExceptionally(failure));
        }
        if (more) {
            run();
        }
    }

    private void answer(Session session, List<Lookup> some) throws SQLException {
        Map<String, LeaseRow> rows = read(session, some);
        List<Claim> expiring = new ArrayList<>();
        for (Lookup lookup : some) {
            LeaseRow row = rows.get(lookup.claim.name());
            if (row != null && row.queue() != null && row.isInUse()) {
                long expiry = row.waitQueue().expiry(lookup.claim.id());
                if (expiry != 0 && expiry < row.now() + pace.placeMicros() / 2) {
                    expiring.add(lookup.claim);
                }
            }
        }
        refresh(session, expiring);
        some.forEach(lookup -> lookup.row.complete(Optional.ofNullable(rows.get(lookup.claim.name()))));
    }

    private Map<String, LeaseRow> read(Session session, List<Lookup> some) throws SQLException {
        int size = LeaseSql.listSize(some.size());
        PreparedStatement statement = session.prepare(sql.lookAt(size));
        for (int i = 0; i < size; i++) {
            dialect.setName(
                    statement,
                    1 + i,
                    some.get(Math.min(i, some.size() - 1)).claim.name());
        }
        Map<String, LeaseRow> rows = new HashMap<>();
        try (ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                rows.put(dialect.name(found, LeaseRow.NAME), LeaseRow.of(found));
            }
        }
        return rows;
    }

    private void refresh(Session session, List<Claim> claims) throws SQLException {
        if (claims.isEmpty()) {
            return;
        }
        int size = LeaseSql.listSize(claims.size());
        PreparedStatement statement = session.prepare(sql.refreshQueue(size));
        statement.setString(
                1, claims.stream().map(claim -> claim.id().toString()).collect(Collectors.joining("|")));
        statement.setLong(2, pace.placeMicros());
        for (int i = 0; i < size; i++) {
            dialect.setName(
                    statement, 3 + i, claims.get(Math.min(i, claims.size() - 1)).name());
        }
        try {
            session.alone(same -> statement.execute());
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            // A row is locked by another session. The entries expire; the claims will be queued again.
        }
    }
}
