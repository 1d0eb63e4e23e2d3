package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Renewal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

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
            List<Integer> some = whole.subList(from, Math.min(whole.size(), from + LARGEST));
            int[] counts = session.inTransaction(same -> send(same, renewals, some));
            for (int i = 0; i < counts.length; i++) {
                int index = some.get(i);
                if (counts[i] == 1) {
                    outcomes[index] = Renewal.Outcome.KEPT;
                } else if (renewals.get(index).claim().capacity() == 1) {
                    outcomes[index] = Renewal.Outcome.GONE;
                }
            }
        }
        for (int index = 0; index < outcomes.length; index++) {
            // A part of a name, or all of one that became a part.
            if (outcomes[index] == null) {
                outcomes[index] = shares.renew(session, renewals.get(index));
            }
        }
        return List.of(outcomes);
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
