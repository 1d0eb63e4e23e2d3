package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Renewal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Renews many leases: whole ones in one transaction, in the order of their names, so that two batches do not deadlock. */
final class RenewalBatch {

    private static final int LARGEST = 100;

    private final Session session;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final Shares shares;

    RenewalBatch(Session session, LeaseSql sql, Dialect dialect, Shares shares) {
        this.session = session;
        this.sql = sql;
        this.dialect = dialect;
        this.shares = shares;
    }

    List<Renewal.Outcome> renew(List<Renewal> renewals) throws SQLException {
        Renewal.Outcome[] outcomes = new Renewal.Outcome[renewals.size()];
        List<Integer> whole = IntStream.range(0, outcomes.length)
                .boxed()
                .filter(index -> LeaseTable.isWhole(renewals.get(index).claim()))
                .sorted(Comparator.comparing(
                        index -> renewals.get(index).claim().name()))
                .toList();
        for (int from = 0; from < whole.size(); from += LARGEST) {
            renewTogether(renewals, whole.subList(from, Math.min(whole.size(), from + LARGEST)), outcomes);
        }
        for (int index = 0; index < outcomes.length; index++) {
            // A part of a name, or all of one that became a part.
            if (outcomes[index] == null) {
                outcomes[index] = renewShare(renewals.get(index));
            }
        }
        return List.of(outcomes);
    }

    private void renewTogether(List<Renewal> renewals, List<Integer> some, Renewal.Outcome[] outcomes)
            throws SQLException {
        int[] counts;
        try {
            counts = session.inTransaction(same -> send(same, renewals, some));
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure) || some.size() == 1) {
                throw failure;
            }
            // Somebody is in the way of one of them, and must not be in the way of the others.
            for (int index : some) {
                renewAlone(renewals, index, outcomes);
            }
            return;
        }
        for (int i = 0; i < counts.length; i++) {
            int index = some.get(i);
            outcomes[index] = counts[i] == 1
                    ? Renewal.Outcome.KEPT
                    : looked(renewals.get(index).claim());
        }
    }

    private void renewAlone(List<Renewal> renewals, int index, Renewal.Outcome[] outcomes) throws SQLException {
        try {
            renewTogether(renewals, List.of(index), outcomes);
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            outcomes[index] = Renewal.Outcome.UNKNOWN;
        }
    }

    private Renewal.Outcome renewShare(Renewal renewal) throws SQLException {
        try {
            return shares.renew(session, renewal);
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            return Renewal.Outcome.UNKNOWN;
        }
    }

    /** Drivers count differently, so the row is asked. Null if the claim may have a part of the name. */
    private Renewal.@Nullable Outcome looked(Claim claim) throws SQLException {
        LeaseRow row = LockedName.read(session, sql.look, dialect, claim.name());
        if (row != null && row.isHeldBy(claim.id())) {
            return Renewal.Outcome.KEPT;
        }
        return claim.capacity() == 1 ? Renewal.Outcome.GONE : null;
    }

    private int[] send(Session same, List<Renewal> renewals, List<Integer> some) throws SQLException {
        PreparedStatement batch = same.prepare(sql.renew);
        for (int index : some) {
            Renewal renewal = renewals.get(index);
            Claim claim = renewal.claim();
            batch.setLong(1, LeaseTable.micros(renewal.lease()));
            batch.setLong(2, LeaseTable.micros(renewal.lease()));
            dialect.setName(batch, 3, claim.name());
            batch.setString(4, claim.id().toString());
            batch.addBatch();
        }
        return batch.executeBatch();
    }
}
