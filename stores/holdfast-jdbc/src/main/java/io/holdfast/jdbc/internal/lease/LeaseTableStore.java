package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.RateLimitedLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The store that keeps leases in a table: one row for each name. */
public final class LeaseTableStore implements LockStore {

    /*
     * Safety. The row of a name has all that decides about it, and every change of the name locks that row: the statements for
     * claims of the whole name by themselves, those for parts of it in a transaction that locks the row first. So changes of a
     * name follow one another, each of them sees what the one before has written, and the holder of a name changes only
     *   - when the holder releases it (`claim` is compared in the same statement), perhaps to the first claim in the wait queue,
     *   - when its lease has expired by the clock of the database, the only clock that is compared, or
     *   - by revoke().
     * "Now" is the moment at which the statement began. A statement that had to wait for the row uses an earlier time as the
     * present: it sees a lease that has just expired as valid, and makes its own lease expire sooner. Both are on the safe side,
     * because the holder counts its lease from before the statement was sent.
     *
     * Only statements that write or lock decide. A proxy may route others to a replica that lags behind, so their result is only
     * a hint whether to retry, and when.
     *
     * Tokens. `last_token` grows with every grant, under the same row lock, and is kept when the name is released. A row that
     * was swept is created anew with a token from the clock, which is far ahead of its last token.
     *
     * A grant counts when it is committed, and durable. If it were not, a server that crashes could forget it. A grant by
     * hand-over is the exception: see `PostgresDialect.handOver`.
     *
     * Stale requests. A database may execute a request of a closed connection after the release of the same claim. So
     * `LeaseReleaser` remembers the claims of which a request was not answered, and their release leaves a tombstone in the row,
     * by which the stale request is refused. A claim that was refused, and whose every request was answered, needs none.
     *
     * Order between processes. On databases that can notify a waiter, there is a wait queue in the row. Elsewhere, the process that
     * polls first after the release acquires the name; but a claim that finds the name held and not reserved writes itself into the row as
     * the next one, and has priority for a while. Nothing but fairness depends on either: entries expire, so a process that died does not
     * block the others.
     */
    private static final System.Logger LOG = StoreLog.LOGGER;

    private final ConnectionSource source;
    private final Environment environment;
    private final LeaseSql sql;
    private final ConnectionWorkers workers;
    private final PendingClaims pending = new PendingClaims();
    private final LeaseTransactions transactions;
    private final LeaseReleaser releaser;
    private final LeaseAcquirer acquirer;
    private final LeaseRenewals renewals;
    private final Capabilities capabilities;
    private final @Nullable NotificationListener listener;
    private final Duration timeout;
    private final RowSweeper sweeper;

    /** @param notificationSource the connections on which notifications are received; null if waiters poll */
    public LeaseTableStore(
            ConnectionSource source,
            Environment environment,
            Dialect dialect,
            LeaseSql sql,
            ConnectionWorkers workers,
            @Nullable ConnectionSource notificationSource,
            StoreSettings settings) {
        String name = source.name();
        Ticker ticker = environment.ticker();
        this.source = source;
        this.environment = environment;
        this.sql = sql;
        this.workers = workers;
        this.timeout = settings.timeout();
        PollIntervals intervals = new PollIntervals(environment, pending::count, notificationSource != null);
        this.transactions = new LeaseTransactions(sql, ticker, intervals::entryLifetimeMicros);
        this.releaser = new LeaseReleaser(sql, transactions, ticker);
        this.renewals = new LeaseRenewals(
                workers, sql, dialect, transactions, ticker, RateLimitedLog.ofStore(LOG, name, ticker));
        this.capabilities = new Capabilities(name, Capabilities.Queue.NONE, Capabilities.Sharing.UNITS);
        NotificationListener ofThis = notificationSource == null
                ? null
                : new NotificationListener(
                        name, notificationSource, sql.channel(), timeout, environment, new Notifications());
        this.listener = ofThis;
        Runnable onWait = ofThis == null ? () -> {} : ofThis::start;
        this.acquirer = new LeaseAcquirer(workers, sql, dialect, ticker, intervals, transactions, releaser, onWait);
        this.sweeper = new RowSweeper(name, environment, workers, dialect, sql.sweep(settings.retention()));
        if (ofThis != null && notificationSource != null && notificationSource.isPool()) {
            // Its connection was borrowed for that.
            ofThis.start();
        }
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        sweeper.startNear(claim.name());
        if (claim.mode() == Claim.Mode.TRY) {
            return acquirer.request(claim, null)
                    .thenApply(attempt -> attempt instanceof Attempt.Granted granted
                            ? Optional.of(granted.grant())
                            : Optional.empty());
        }
        PendingClaim added = new PendingClaim(acquirer, this::releaseLate, pending::remove, environment, claim);
        pending.add(added);
        added.request();
        return added.answer();
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> leases) {
        return renewals.renew(leases);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        long micros = Micros.of(lease);
        return workers.call(claim.name(), session -> transactions.shorten(session, claim, micros));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        PendingClaim before = pending.remove(claim.id());
        // Not "no": a request that is under way may be granted, and the release then says that the claim held.
        PendingClaim withdrawn =
                before != null && before.withdraw(new IllegalStateException("The claim was released while it waited."))
                        ? before
                        : null;
        return workers.call(claim.name(), session -> releaser.release(session, claim, withdrawn))
                .whenComplete((held, failure) -> {
                    if (Boolean.TRUE.equals(held)) {
                        requestAll(claim.name());
                    }
                });
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return new LeaseInspection(workers, sql, environment.ticker(), timeout).of(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return workers.call(name, session -> transactions.revoke(session, name, token))
                .whenComplete((done, failure) -> {
                    if (Boolean.TRUE.equals(done)) {
                        requestAll(name);
                    }
                });
    }

    private void releaseLate(Claim granted) {
        var unused = release(granted);
    }

    /** Where waiters are not notified, those of this process need not wait for their next poll. */
    private void requestAll(String name) {
        if (listener == null) {
            pending.waitingFor(name).forEach(PendingClaim::request);
        }
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    /** Passes notifications on to the pending claims. */
    private final class Notifications implements NotificationListener.Handler {

        @Override
        public void connected() {
            pending.all().forEach(each -> {
                each.forgetServerClock();
                each.poll();
            });
        }

        /** The message may be for a claim of another process. */
        @Override
        public void received(NotificationMessage message, Moment at) {
            PendingClaim addressee = pending.find(message.claim());
            if (addressee == null) {
                return;
            }
            if (message.grant() == null) {
                addressee.request();
            } else {
                releaser.addGrantedWithWaiters(message.claim());
                addressee.handedOver(message.grant(), at);
            }
        }
    }

    @Override
    public void close() {
        sweeper.close();
        pending.all().forEach(each -> each.withdraw(new StoreClosedException()));
        if (listener != null) {
            listener.close();
        }
        workers.close();
        if (workers.areTerminated()) {
            source.close();
        }
    }
}
