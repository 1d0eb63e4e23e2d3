package io.holdfast.samples;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.BlockingStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.LockInfos;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of a table of locks. The table is a map here and its monitor is the transaction; on a database, every
 * {@code synchronized} block below is one transaction that locks the row of the name.
 */
public final class TableStore implements BlockingStore {

    /*
     * Safety: all that is read and written for an answer is read and written in one transaction, and only the table's
     * clock says whether a lease has ended. A row is held by one claim; it changes hands only when its end has passed or
     * was moved to the beginning of time by its own claim or by revoke(). Rows are never deleted, so the next token is
     * above all earlier ones even if the clock was set back.
     */
    private static final Duration REMEMBERED = Duration.ofMinutes(5);
    private static final int LARGEST_BLOCK = 64;

    private final LockTable table;
    private final Ticker ticker;

    /** A client with a clock of its own, which is never compared with the table's. */
    public TableStore(LockTable table, Ticker ticker) {
        this.table = table;
        this.ticker = ticker;
    }

    // region attempt
    @Override
    public Attempt attempt(Claim claim) {
        Moment sent = ticker.now();
        synchronized (table) {
            Instant now = table.clock.instant();
            if (table.released.containsKey(claim.id())) {
                throw new IllegalStateException("Claim " + claim.id() + " was released before this attempt arrived.");
            }
            LockTable.Row row = table.rows.get(claim.name());
            if (row == null || !row.isHeld(now)) {
                row = grant(claim, row, now);
                table.rows.put(claim.name(), row);
            }
            Duration left = Duration.between(now, row.endsAt());
            return row.isHeldBy(claim, now)
                    ? new Attempt.Granted(new Grant(claim, row.firstToken(), row.tokens(), sent, left))
                    : new Attempt.Busy(left);
        }
    }

    private static LockTable.Row grant(Claim claim, LockTable.@Nullable Row before, Instant now) {
        long clock = ChronoUnit.MICROS.between(Instant.EPOCH, now);
        long last = before == null ? 0 : before.firstToken() + before.tokens() - 1;
        int tokens = last >= clock ? 1 : Math.min(claim.tokens(), LARGEST_BLOCK);
        return new LockTable.Row(claim, Math.max(last + 1, clock), tokens, now, now.plus(claim.lease()));
    }
    // endregion

    // region renew
    @Override
    public List<RenewalRequest.Outcome> renew(List<RenewalRequest> renewals) {
        return renewals.stream().map(this::renew).toList();
    }

    private RenewalRequest.Outcome renew(RenewalRequest renewal) {
        synchronized (table) {
            Instant now = table.clock.instant();
            LockTable.Row row = table.rows.get(renewal.claim().name());
            if (row == null || !row.isHeldBy(renewal.claim(), now)) {
                return RenewalRequest.Outcome.GONE;
            }
            Instant end = now.plus(renewal.lease());
            if (end.isAfter(row.endsAt())) {
                table.rows.put(row.claim().name(), row.endingAt(end));
            }
            return RenewalRequest.Outcome.KEPT;
        }
    }
    // endregion

    // region shorten
    @Override
    public boolean shorten(Claim claim, Duration lease) {
        synchronized (table) {
            Instant now = table.clock.instant();
            LockTable.Row row = table.rows.get(claim.name());
            if (row == null || !row.isHeldBy(claim, now)) {
                return false;
            }
            Instant end = now.plus(lease);
            if (end.isBefore(row.endsAt())) {
                table.rows.put(claim.name(), row.endingAt(end));
            }
            return true;
        }
    }
    // endregion

    // region release
    @Override
    public boolean release(Claim claim) {
        synchronized (table) {
            Instant now = table.clock.instant();
            table.released.putIfAbsent(claim.id(), now);
            Iterator<Instant> oldest = table.released.values().iterator();
            while (oldest.hasNext() && oldest.next().isBefore(now.minus(REMEMBERED))) {
                oldest.remove();
            }
            LockTable.Row row = table.rows.get(claim.name());
            return row != null && row.isHeldBy(claim, now) && end(row);
        }
    }

    private boolean end(LockTable.Row row) {
        table.rows.put(row.claim().name(), row.endingAt(Instant.MIN));
        return true;
    }
    // endregion

    @Override
    public List<LockInfo> inspect(NameFilter filter) {
        synchronized (table) {
            Instant now = table.clock.instant();
            return table.rows.values().stream()
                    .filter(row -> row.isHeld(now) && filter.matches(row.claim().name()))
                    .limit(filter.limit())
                    .map(row -> describe(row, now))
                    .toList();
        }
    }

    private static LockInfo describe(LockTable.Row row, Instant now) {
        Duration age = Duration.between(row.grantedAt(), now);
        Duration left = Duration.between(now, row.endsAt());
        LockInfo.Holder holder = LockInfos.holder(row.claim().owner(), 1, 1, row.firstToken(), row.tokens(), age, left);
        return LockInfos.of(row.claim().name(), 1, List.of(holder), 0, List.of());
    }

    @Override
    public boolean revoke(String name, long token) {
        synchronized (table) {
            LockTable.Row row = table.rows.get(name);
            return row != null
                    && row.isHeld(table.clock.instant())
                    && token >= row.firstToken()
                    && token - row.firstToken() < row.tokens()
                    && end(row);
        }
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities("table:", Capabilities.Queue.NONE, Capabilities.Sharing.EXCLUSIVE_ONLY);
    }

    @Override
    public void close() {}
}
