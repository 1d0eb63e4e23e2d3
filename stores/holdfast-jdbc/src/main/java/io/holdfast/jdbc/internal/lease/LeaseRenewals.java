package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.RateLimitedLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/** Renews many leases: those of one length together, because the length determines how long to wait for the database. */
final class LeaseRenewals {

    private static final long MIN_NETWORK_TIMEOUT_MILLIS = 250;

    private final ConnectionWorkers workers;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final LeaseTransactions transactions;
    private final Ticker ticker;
    private final RateLimitedLog warnings;

    LeaseRenewals(
            ConnectionWorkers workers,
            LeaseSql sql,
            Dialect dialect,
            LeaseTransactions transactions,
            Ticker ticker,
            RateLimitedLog warnings) {
        this.workers = workers;
        this.sql = sql;
        this.dialect = dialect;
        this.transactions = transactions;
        this.ticker = ticker;
        this.warnings = warnings;
    }

    /** Fails if no outcome is known. */
    CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        Map<Duration, List<RenewalRequest>> byLease = new LinkedHashMap<>();
        renewals.forEach(renewal -> byLease.computeIfAbsent(renewal.lease(), lease -> new ArrayList<>())
                .add(renewal));
        Map<RenewalRequest, RenewalRequest.Outcome> outcomes = new ConcurrentHashMap<>();
        List<CompletableFuture<Boolean>> batches = new ArrayList<>();
        byLease.forEach((lease, all) -> {
            for (int from = 0; from < all.size(); from += RenewalBatch.MAX_SIZE) {
                List<RenewalRequest> some = all.subList(from, Math.min(all.size(), from + RenewalBatch.MAX_SIZE));
                batches.add(workers.call(
                        ConnectionWorker.Priority.RENEWAL, session -> renew(session, lease, some, outcomes)));
            }
        });
        return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    if (failure != null && outcomes.isEmpty()) {
                        throw failure instanceof CompletionException known ? known : new CompletionException(failure);
                    }
                    if (failure != null) {
                        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                        warnings.warn(
                                () -> Collections.frequency(answers(renewals, outcomes), RenewalRequest.Outcome.UNKNOWN)
                                        + " of " + renewals.size() + " leases could not be renewed ("
                                        + cause.getMessage()
                                        + "); they are renewed again until they expire. Check the connection to the database if this repeats.");
                    }
                    return answers(renewals, outcomes);
                });
    }

    private static List<RenewalRequest.Outcome> answers(
            List<RenewalRequest> renewals, Map<RenewalRequest, RenewalRequest.Outcome> outcomes) {
        return renewals.stream()
                .map(renewal -> outcomes.getOrDefault(renewal, RenewalRequest.Outcome.UNKNOWN))
                .toList();
    }

    private boolean renew(
            Session session,
            Duration lease,
            List<RenewalRequest> some,
            Map<RenewalRequest, RenewalRequest.Outcome> outcomes)
            throws SQLException {
        int before = session.connection().getNetworkTimeout();
        Dialect.limit(session.connection(), limit(lease, before));
        try {
            new RenewalBatch(session, sql, dialect, transactions, ticker, lease, outcomes).renew(some);
            return true;
        } finally {
            if (!session.connection().isClosed()) {
                Dialect.limit(session.connection(), before);
            }
        }
    }

    /** If the connection is half-open, there must be time for another one before the leases expire. */
    private static int limit(Duration lease, int longest) {
        return (int) Math.min(longest, Math.max(MIN_NETWORK_TIMEOUT_MILLIS, lease.toMillis() / 3));
    }
}
