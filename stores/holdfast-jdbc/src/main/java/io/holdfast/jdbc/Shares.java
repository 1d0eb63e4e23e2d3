package io.holdfast.jdbc;

import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.OwnerText;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.util.function.LongSupplier;

/**
 * What takes more than one statement: claims for a part of a name, and all that is rare. Each is a transaction that locks the
 * row of the name first, which every other change of the name has to pass too.
 */
final class Shares {

    private final LeaseSql sql;
    private final Dialect dialect;
    private final Ticker ticker;
    private final LongSupplier places;

    /** @param places for how many microseconds an entry in the wait queue is good */
    Shares(LeaseSql sql, Dialect dialect, Ticker ticker, LongSupplier places) {
        this.sql = sql;
        this.dialect = dialect;
        this.ticker = ticker;
        this.places = places;
    }

    Attempt take(Session session, Claim claim) throws SQLException {
        Moment sent = ticker.now();
        return session.inTransaction(locked(claim.name(), name -> {
            if (name.row().hasEnded(claim.id())) {
                throw LeaseTable.tooLate(claim);
            }
            Share own = name.shareOf(claim.id());
            if (own != null) {
                return new Attempt.Granted(grant(claim, own, sent, own.endsAt() - name.now()));
            }
            if (name.isInUse() && name.row().capacity() != claim.capacity()) {
                throw RefusedException.anotherSize(claim, name.row().capacity());
            }
            if (name.row().isHeldByOne()) {
                return busy(name, claim, name.row().left());
            }
            if (name.row().isReservedForAnother(claim.id())) {
                return busy(name, claim, name.row().nextUntil() - name.now());
            }
            if (name.queue().hasBefore(claim.id())) {
                return busy(name, claim, name.untilFirstEnd());
            }
            if (name.unitsInUse() + claim.units() > claim.capacity()) {
                return busy(name, claim, name.untilFirstEnd());
            }
            long lease = LeaseTable.micros(claim.lease());
            Share share = name.add(
                    claim.id(),
                    claim.units(),
                    claim.capacity(),
                    LeaseTable.tokens(claim),
                    lease,
                    OwnerText.of(claim.owner()));
            name.writeAndNotify();
            return new Attempt.Granted(grant(claim, share, sent, lease));
        }));
    }

    /** Acquires all of the name if it is free, on databases that have no statement for that. Returns the row as it is then. */
    LeaseRow takeAll(Session session, Claim claim) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            if (name.isInUse() || !name.row().isFreeFor(claim)) {
                return name.row();
            }
            LeaseRow granted = name.addAll(claim);
            name.write();
            return granted;
        }));
    }

    private Attempt busy(LockedName name, Claim claim, long micros) throws SQLException {
        if (sql.tell != null && claim.mode() == Claim.Mode.WAIT) {
            long lifetime = places.getAsLong();
            if (name.queue().expiry(claim.id()) < name.now() + lifetime / 2) {
                name.queue().add(claim, name.now() + lifetime);
                name.write();
            }
        }
        return new Attempt.Busy(LeaseTable.micros(micros));
    }

    private static Grant grant(Claim claim, Share share, Moment sent, long left) {
        int tokens = (int) (share.lastToken() - share.firstToken() + 1);
        return new Grant(claim, share.firstToken(), tokens, sent, LeaseTable.micros(left));
    }

    /** Renews a claim that has a part of its name, or all of it and may keep a part. */
    Renewal.Outcome renew(Session session, Renewal renewal, LockedName.Wait wait) throws SQLException {
        Claim claim = renewal.claim();
        return session.inTransaction(same -> {
            LockedName name = LockedName.find(same, sql, dialect, claim.name(), wait);
            if (name == null) {
                return Renewal.Outcome.GONE;
            }
            long end = name.now() + LeaseTable.micros(renewal.lease());
            Share own = name.shareOf(claim.id());
            if (own != null) {
                int units = Math.min(own.units(), claim.units());
                name.change(own.with(units, Math.max(own.endsAt(), end)));
                if (units < own.units()) {
                    name.writeAndNotify();
                } else {
                    name.write();
                }
                return Renewal.Outcome.KEPT;
            }
            if (!name.row().isHeldBy(claim.id())) {
                return Renewal.Outcome.GONE;
            }
            if (LeaseTable.isWhole(claim)) {
                name.lengthen(end);
                name.write();
            } else {
                name.shrink(claim.units(), Math.max(name.row().endsAt(), end));
                name.writeAndNotify();
            }
            return Renewal.Outcome.KEPT;
        });
    }

    /** Lets the claim end sooner, whether it has a part of the name or all of it; false if it has neither. */
    boolean shorten(Session session, Claim claim, long lease) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            long end = name.now() + lease;
            Share own = name.shareOf(claim.id());
            if (own != null) {
                name.change(own.with(own.units(), Math.min(own.endsAt(), end)));
                name.write();
                return true;
            }
            return name.row().isHeldBy(claim.id());
        }));
    }

    /** Whether the release of a claim leaves a tombstone, by which a stale request of the claim is refused. */
    enum Tombstone {
        NEVER,
        UNLESS_HELD,
        ALWAYS
    }

    /** Ends the claim, whether it holds or waits. */
    boolean release(Session session, Claim claim, Tombstone tombstone) throws SQLException {
        return session.inTransaction(locked(claim.name(), name -> {
            boolean held = end(name, claim.id());
            name.withdraw(claim.id());
            if (tombstone == Tombstone.ALWAYS || (tombstone == Tombstone.UNLESS_HELD && !held)) {
                name.remember(claim.id());
            }
            name.writeAndNotify();
            return held;
        }));
    }

    private static boolean end(LockedName name, ClaimId id) throws SQLException {
        if (name.row().isHeldBy(id)) {
            name.free();
            return true;
        }
        if (name.shareOf(id) != null) {
            name.drop(id.toString());
            return true;
        }
        return false;
    }

    boolean revoke(Session session, String lockName, long token) throws SQLException {
        return session.inTransaction(locked(lockName, name -> {
            if (name.row().isHeldByOne()
                    && name.row().firstToken() <= token
                    && token <= name.row().lastToken()) {
                name.free();
                name.writeAndNotify();
                return true;
            }
            for (Share share : name.shares()) {
                if (share.firstToken() <= token && token <= share.lastToken()) {
                    name.drop(share.claim());
                    name.writeAndNotify();
                    return true;
                }
            }
            return false;
        }));
    }

    @FunctionalInterface
    private interface Step<T> {
        T on(LockedName name) throws SQLException;
    }

    private <T> Session.Work<T> locked(String lockName, Step<T> step) {
        return session -> step.on(LockedName.lock(session, sql, dialect, lockName));
    }
}
