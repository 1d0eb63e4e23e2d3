package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.util.function.LongSupplier;

/**
 * The operations that need more than one statement: those on a part of a name, and all that are rare. Each is a transaction that locks the row
 * of the name first, as every other change of the name does; so it is atomic.
 */
public final class LeaseTransactions {

    private final LeaseSql sql;
    private final Ticker ticker;
    private final LongSupplier entryLifetime;

    /** @param entryLifetime after how many microseconds an entry in the wait queue expires */
    LeaseTransactions(LeaseSql sql, Ticker ticker, LongSupplier entryLifetime) {
        this.sql = sql;
        this.ticker = ticker;
        this.entryLifetime = entryLifetime;
    }

    Attempt acquireUnits(Session session, Claim claim) throws SQLException {
        Moment sent = ticker.now();
        return session.inTransaction(locked(claim.name(), name -> {
            LeaseRow row = name.row;
            if (row.hasTombstone(claim.id())) {
                throw new StaleRequestException(claim);
            }
            LeaseHolder held = name.held(claim.id());
            if (held != null) {
                return granted(claim, held, sent, row.now);
            }
            if (!name.holders().isEmpty() && row.capacity != claim.capacity()) {
                throw RefusedException.wrongKind(claim, row.capacity);
            }
            if (row.isHeldByOne()) {
                return busy(name, claim, row.remainingMicros());
            }
            if (row.isReservedForAnother(claim.id())) {
                return busy(name, claim, row.nextUntil - row.now);
            }
            if (row.queue.hasOtherFirst(claim.id())) {
                name.skipUnresponsiveFirst();
            }
            if (row.queue.hasOtherFirst(claim.id()) || name.unitsInUse() + claim.units() > claim.capacity()) {
                return busy(name, claim, name.untilFirstExpiry());
            }
            LeaseHolder holder = name.grantUnits(claim);
            name.writeAndNotify();
            return granted(claim, holder, sent, row.now);
        }));
    }

    /** Acquires the whole name if it is free, on databases that have no statement for that. Returns the row as it is then. */
    LeaseRow acquireAll(Session session, Claim claim) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            if (name.holders().isEmpty() && name.row.isFreeFor(claim)) {
                name.grantAll(claim);
                name.write();
            }
            return name.row;
        }));
    }

    private Attempt busy(LockedRow name, Claim claim, long micros) throws SQLException {
        name.relaxDurability();
        if (sql.hasQueue() && claim.mode() == Claim.Mode.WAIT) {
            long lifetime = entryLifetime.getAsLong();
            WaitQueue queue = name.row.queue;
            boolean isChanged =
                    queue.expiry(claim.id()) < name.row.now + lifetime / 2 && queue.add(claim, name.row.now + lifetime);
            if (!name.row.isReserved() && !name.row.isFirstNotified() && name.isRoomForFirst()) {
                name.writeAndNotify();
            } else if (isChanged) {
                name.write();
            }
        }
        // If the last lease has expired, units are free for another claim.
        return new Attempt.Busy(Micros.toDuration(micros > 0 ? micros : Dialect.RESERVATION_MICROS));
    }

    private static Attempt granted(Claim claim, LeaseHolder holder, Moment sent, long now) {
        return new Attempt.Granted(
                Claims.grant(claim, holder.firstToken(), holder.lastToken(), sent, holder.endsAt() - now));
    }

    /**
     * Renews a claim that holds a part of its name, or all of it and wants to keep a part.
     *
     * @param lock see {@link LockedRow#find}
     */
    RenewalRequest.Outcome renew(Session session, RenewalRequest renewal, String lock) throws SQLException {
        Claim claim = renewal.claim();
        return session.inTransaction(same -> {
            LockedRow name = LockedRow.find(same, sql, claim.name(), lock);
            if (name == null) {
                return RenewalRequest.Outcome.GONE;
            }
            long release = name.row.now + Micros.of(renewal.lease());
            LeaseHolder held = name.held(claim.id());
            if (held == null) {
                return RenewalRequest.Outcome.GONE;
            }
            int units = Math.min(held.units(), claim.units());
            name.change(held.with(units, Math.max(held.endsAt(), release)));
            if (units == held.units()) {
                // No unit has become free.
                name.write();
            } else {
                name.writeAndNotify();
            }
            return RenewalRequest.Outcome.KEPT;
        });
    }

    /** Lets the lease expire sooner. False if the claim does not hold the name, or a part of it. */
    boolean shorten(Session session, Claim claim, long lease) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            long release = name.row.now + lease;
            LeaseHolder held = name.held(claim.id());
            if (held == null) {
                return false;
            }
            name.change(held.with(held.units(), Math.min(held.endsAt(), release)));
            name.write();
            return true;
        }));
    }

    /** Whether the release of a claim leaves a tombstone, by which a stale request of the claim is refused. */
    enum Tombstone {
        NEVER,
        UNLESS_HELD,
        ALWAYS
    }

    /** Ends the claim, whether it holds the name or waits. Whether it held it. */
    boolean release(Session session, Claim claim, Tombstone tombstone) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            LeaseHolder held = name.held(claim.id());
            if (held != null) {
                name.release(held);
            }
            name.withdraw(claim.id());
            if (tombstone == Tombstone.ALWAYS || (tombstone == Tombstone.UNLESS_HELD && held == null)) {
                name.addTombstone(claim.id());
            }
            name.writeAndNotify();
            return held != null;
        }));
    }

    boolean revoke(Session session, String lockName, long token) throws SQLException {
        return session.inTransaction(locked(lockName, name -> {
            for (LeaseHolder holder : name.holders()) {
                if (holder.has(token)) {
                    name.release(holder);
                    name.writeAndNotify();
                    return true;
                }
            }
            return false;
        }));
    }

    @FunctionalInterface
    private interface Step<T> {
        T on(LockedRow name) throws SQLException;
    }

    private <T> Session.Work<T> locked(String lockName, Step<T> step) {
        return session -> step.on(LockedRow.lock(session, sql, lockName));
    }
}
