package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.SqlLists;
import io.holdfast.spi.Claim;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Reads the rows of names that claims wait for, up to 100 with one statement, after everything else that waits for a connection. It
 * locks nothing, and decides nothing: a replica may have answered. One more statement reads the holders of names that are shared, and one
 * refreshes entries in the wait queue that expire soon.
 */
final class RowPoller {

    private final ConnectionWorkers lanes;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final PollIntervals pace;
    private final BlockingQueue<Lookup> waiting = new LinkedBlockingQueue<>();

    /** Whether a batch is gathered or under way; when it is done, the next begins if any wait. */
    private final AtomicBoolean running = new AtomicBoolean();

    private record Lookup(Claim claim, CompletableFuture<Optional<Found>> answer) {}

    /** The row of a name, and who holds it: several if it is shared. */
    record Found(LeaseRow row, List<LeaseHolder> holders) {

        boolean isHeldBy(Claim claim) {
            return holders.stream()
                    .anyMatch(share -> share.claim().equals(claim.id().toString()));
        }

        /** When the first of the present leases, or the priority of the claim that is the next, expires. */
        Duration untilChange() {
            long reserved = row.isReserved() ? row.nextUntil - row.now : Dialect.RESERVATION;
            long held = holders.stream()
                    .mapToLong(share -> share.endsAt() - row.now)
                    .min()
                    .orElse(reserved);
            return Micros.toDuration(row.isReserved() ? Math.min(held, reserved) : held);
        }
    }

    RowPoller(ConnectionWorkers lanes, LeaseSql sql, Dialect dialect, PollIntervals pace) {
        this.lanes = lanes;
        this.sql = sql;
        this.dialect = dialect;
        this.pace = pace;
    }

    /** What is in the table about the name that the claim is for. */
    CompletableFuture<Optional<Found>> of(Claim claim) {
        Lookup lookup = new Lookup(claim, new CompletableFuture<>());
        waiting.add(lookup);
        begin();
        return lookup.answer;
    }

    private void begin() {
        if (!waiting.isEmpty() && running.compareAndSet(false, true)) {
            pace.gather(this::run);
        }
    }

    /** Reads what waits now, perhaps nothing. */
    void run() {
        List<Lookup> batch = new ArrayList<>();
        var unused = lanes.call(ConnectionWorker.Priority.POLL, session -> {
                    waiting.drainTo(batch, SqlLists.MAX_SIZE);
                    if (batch.isEmpty()) {
                        // The batch before took them all.
                        return false;
                    }
                    answer(session, batch);
                    return true;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        // All others too, so that none waits for a connection that cannot be opened.
                        waiting.drainTo(batch);
                        batch.forEach(lookup -> lookup.answer.completeExceptionally(failure));
                    }
                    if (waiting.isEmpty()) {
                        running.set(false);
                        begin();
                    } else {
                        run();
                    }
                });
    }

    private void answer(Session session, List<Lookup> batch) throws SQLException {
        Map<String, LeaseRow> rows = sql.rows(
                session,
                LeaseSql.LOOK,
                LeaseSql.names(batch.stream().map(Lookup::claim).toList()));
        Map<String, List<LeaseHolder>> holders = sql.holders(session, rows);
        List<Claim> expiring = new ArrayList<>();
        for (Lookup lookup : batch) {
            LeaseRow row = rows.get(lookup.claim.name());
            // Also while a name that was shared is free for the first in the queue.
            if (row != null && (row.isInUse() || !Claims.isExclusive(lookup.claim))) {
                long expiry = row.queue.expiry(lookup.claim.id());
                if (expiry != 0 && expiry < row.now + pace.placeMicros() / 2) {
                    expiring.add(lookup.claim);
                }
            }
        }
        if (!expiring.isEmpty()) {
            refresh(session, expiring);
        }
        for (Lookup lookup : batch) {
            String name = lookup.claim.name();
            lookup.answer.complete(Optional.ofNullable(rows.get(name))
                    .map(row -> new Found(row, holders.getOrDefault(name, List.of()))));
        }
    }

    private void refresh(Session session, List<Claim> claims) throws SQLException {
        String ids = claims.stream().map(claim -> claim.id().toString()).collect(Collectors.joining("|"));
        try {
            sql.changesOne(session, dialect.refreshQueue(), ids, pace.placeMicros(), LeaseSql.names(claims));
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            // A row is locked by another session. The entries expire; the claims will be queued again.
        }
    }
}
