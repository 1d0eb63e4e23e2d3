package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.RateLimitedLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Renews leases of session locks: each on its own session, by checking that the session has not ended. */
final class SessionRenewals {

    private final SessionClaims claims;
    private final SessionAcquirer acquirer;
    private final SessionThreads threads;
    private final Duration timeout;
    private final RateLimitedLog warnings;

    SessionRenewals(
            SessionClaims claims,
            SessionAcquirer acquirer,
            SessionThreads threads,
            Duration timeout,
            RateLimitedLog warnings) {
        this.claims = claims;
        this.acquirer = acquirer;
        this.threads = threads;
        this.timeout = timeout;
        this.warnings = warnings;
    }

    CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        // A session that is unresponsive must not delay the answers for the others.
        long limit = renewals.stream()
                .mapToLong(renewal -> renewal.lease().toNanos() / 6)
                .reduce(timeout.toNanos(), Math::min);
        List<CompletableFuture<RenewalRequest.Outcome>> answers = renewals.stream()
                .map(renewal ->
                        renew(renewal).completeOnTimeout(RenewalRequest.Outcome.UNKNOWN, limit, TimeUnit.NANOSECONDS))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<RenewalRequest.Outcome> renew(RenewalRequest renewal) {
        SessionClaim holder = claims.locked(() -> claims.find(renewal.claim().id()));
        CompletableFuture<RenewalRequest.Outcome> answer = new CompletableFuture<>();
        if (holder == null || !holder.granted) {
            answer.complete(RenewalRequest.Outcome.GONE);
            return answer;
        }
        threads.execute(() -> answer.complete(renew(holder, renewal)), noThread -> {
            warnings.warn(() -> "The lease of '" + renewal.claim().name()
                    + "' could not be renewed, because there is no thread for it (" + noThread
                    + "). It is renewed again until it expires.");
            answer.complete(RenewalRequest.Outcome.UNKNOWN);
        });
        return answer;
    }

    private RenewalRequest.Outcome renew(SessionClaim holder, RenewalRequest renewal) {
        RenewalRequest.Outcome outcome;
        try {
            outcome = Objects.requireNonNull(holder.session).renew(renewal);
        } catch (SQLException | RuntimeException failure) {
            warnings.warn(
                    () -> "The session that holds '" + renewal.claim().name() + "' has ended (" + failure.getMessage()
                            + "), so the lock is lost. Other processes may acquire it; its lease reports LOST.");
            outcome = RenewalRequest.Outcome.GONE;
        }
        if (outcome == RenewalRequest.Outcome.GONE) {
            claims.locked(() -> acquirer.markLost(holder));
        } else if (outcome == RenewalRequest.Outcome.KEPT && !Claims.isExclusive(renewal.claim())) {
            claims.locked(() -> {
                if (holder.exclusive && !holder.released) {
                    acquirer.startSuccessor(holder);
                }
                holder.exclusive = false;
            });
        }
        return outcome;
    }
}
