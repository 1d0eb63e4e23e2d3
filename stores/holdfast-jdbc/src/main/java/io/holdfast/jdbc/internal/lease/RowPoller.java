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
 * Polls the rows of names that claims wait for, up to 100 with one statement, after all other requests that wait for a connection. It locks
 * nothing, and decides nothing: the result may come from a replica. One more statement reads the holders of names that are shared, and one
 * refreshes entries in the wait queue that expire soon.
 */
final class RowPoller {

    private final ConnectionWorkers workers;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final PollIntervals intervals;
    private final BlockingQueue<Poll> polls = new LinkedBlockingQueue<>();

    /** Whether a batch is scheduled or under way; after it, the next one starts if polls are queued. */
    private final AtomicBoolean running = new AtomicBoolean();

    private record Poll(Claim claim, CompletableFuture<Optional<Snapshot>> answer) {}

    /** The row of a name, and its holders: several if it is shared. */
    record Snapshot(LeaseRow row, List<LeaseHolder> holders) {

        boolean isHeldBy(Claim claim) {
            return holders.stream()
                    .anyMatch(holder -> holder.claim().equals(claim.id().toString()));
        }

        /** When the first of the leases expires, or the reservation. */
        Duration untilChange() {
            long reserved = row.isReserved() ? row.nextUntil - row.now : Dialect.RESERVATION_MICROS;
            long held = holders.stream()
                    .mapToLong(holder -> holder.endsAt() - row.now)
                    .min()
                    .orElse(reserved);
            return Micros.toDuration(row.isReserved() ? Math.min(held, reserved) : held);
        }
    }

    RowPoller(ConnectionWorkers workers, LeaseSql sql, Dialect dialect, PollIntervals intervals) {
        this.workers = workers;
        this.sql = sql;
        this.dialect = dialect;
        this.intervals = intervals;
    }

    /** The row of the claim's name, and its holders; empty if there is no row. */
    CompletableFuture<Optional<Snapshot>> poll(Claim claim) {
        Poll poll = new Poll(claim, new CompletableFuture<>());
        polls.add(poll);
        startBatch();
        return poll.answer;
    }

    private void startBatch() {
        if (!polls.isEmpty() && running.compareAndSet(false, true)) {
            intervals.schedule(this::run);
        }
    }

    /** Executes the polls that are queued, if there are any. */
    void run() {
        List<Poll> batch = new ArrayList<>();
        var unused = workers.call(ConnectionWorker.Priority.POLL, session -> {
                    polls.drainTo(batch, SqlLists.MAX_SIZE);
                    if (batch.isEmpty()) {
                        // The batch before has executed them all.
                        return false;
                    }
                    answer(session, batch);
                    return true;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        // The others fail, too, so that none waits for a connection that cannot be opened.
                        polls.drainTo(batch);
                        batch.forEach(poll -> poll.answer.completeExceptionally(failure));
                    }
                    if (polls.isEmpty()) {
                        running.set(false);
                        startBatch();
                    } else {
                        run();
                    }
                });
    }

    private void answer(Session session, List<Poll> batch) throws SQLException {
        Map<String, LeaseRow> rows = sql.rows(
                session,
                LeaseSql.READ_ROWS,
                LeaseSql.names(batch.stream().map(Poll::claim).toList()));
        Map<String, List<LeaseHolder>> holders = sql.holders(session, rows);
        List<Claim> expiring = new ArrayList<>();
        for (Poll poll : batch) {
            LeaseRow row = rows.get(poll.claim.name());
            // Also while a name that was shared is free for the first claim in the wait queue.
            if (row != null && (row.isInUse() || !Claims.isExclusive(poll.claim))) {
                long expiry = row.queue.expiry(poll.claim.id());
                if (expiry != 0 && expiry < row.now + intervals.entryLifetimeMicros() / 2) {
                    expiring.add(poll.claim);
                }
            }
        }
        if (!expiring.isEmpty()) {
            refresh(session, expiring);
        }
        for (Poll poll : batch) {
            String name = poll.claim.name();
            poll.answer.complete(Optional.ofNullable(rows.get(name))
                    .map(row -> new Snapshot(row, holders.getOrDefault(name, List.of()))));
        }
    }

    private void refresh(Session session, List<Claim> claims) throws SQLException {
        String ids = claims.stream().map(claim -> claim.id().toString()).collect(Collectors.joining("|"));
        try {
            sql.changesOne(
                    session, dialect.refreshQueue(), ids, intervals.entryLifetimeMicros(), LeaseSql.names(claims));
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            // A row is locked by another session. The entries may expire; then the claims are queued again.
        }
    }
}
