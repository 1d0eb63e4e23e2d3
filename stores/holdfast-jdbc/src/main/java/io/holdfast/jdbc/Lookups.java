package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.SQLException;
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
 * locks nothing, and decides nothing: a replica may have answered. Entries in the wait queue that expire soon are refreshed with
 * one more statement.
 */
final class Lookups {

    private final Lanes lanes;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final PollPace pace;
    private final BlockingQueue<Lookup> waiting = new LinkedBlockingQueue<>();

    /** Whether a batch is gathered or under way; when it is done, the next begins if any wait. */
    private final AtomicBoolean running = new AtomicBoolean();

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
        waiting.add(lookup);
        begin();
        return lookup.row;
    }

    private void begin() {
        if (!waiting.isEmpty() && running.compareAndSet(false, true)) {
            pace.gather(this::run);
        }
    }

    /** Reads what waits now, perhaps nothing. */
    void run() {
        List<Lookup> batch = new ArrayList<>();
        var unused = lanes.call(Lane.Priority.POLL, session -> {
                    waiting.drainTo(batch, LeaseSql.LONGEST_LIST);
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
                        batch.forEach(lookup -> lookup.row.completeExceptionally(failure));
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
        List<Claim> expiring = new ArrayList<>();
        for (Lookup lookup : batch) {
            LeaseRow row = rows.get(lookup.claim.name());
            if (row != null && row.isInUse()) {
                long expiry = row.queue.expiry(lookup.claim.id());
                if (expiry != 0 && expiry < row.now + pace.placeMicros() / 2) {
                    expiring.add(lookup.claim);
                }
            }
        }
        if (!expiring.isEmpty()) {
            refresh(session, expiring);
        }
        batch.forEach(lookup -> lookup.row.complete(Optional.ofNullable(rows.get(lookup.claim.name()))));
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
