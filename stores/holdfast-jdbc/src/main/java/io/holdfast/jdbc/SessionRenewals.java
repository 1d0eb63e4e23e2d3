package io.holdfast.jdbc;

import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Renewal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Renews session locks: each is asked about on its own session. */
final class SessionRenewals {

    private final Environment environment;
    private final Executor threads;
    private final Duration timeout;
    private final Complaints complaints;
    private final Holders holders;

    /** Those who have locks. */
    interface Holders {

        @Nullable
        SessionHolder holder(ClaimId id);

        void renewed(SessionHolder holder, Renewal renewal, Renewal.Outcome outcome);
    }

    SessionRenewals(
            Environment environment, Executor threads, Duration timeout, Complaints complaints, Holders holders) {
        this.environment = environment;
        this.threads = threads;
        this.timeout = timeout;
        this.complaints = complaints;
        this.holders = holders;
    }

    CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        List<CompletableFuture<Renewal.Outcome>> answers = new ArrayList<>(renewals.size());
        Duration shortest = timeout;
        for (Renewal renewal : renewals) {
            answers.add(renew(renewal));
            Duration part = renewal.lease().dividedBy(6);
            shortest = part.compareTo(shortest) < 0 ? part : shortest;
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
        // One that hangs must not keep the others from being told.
        var late = environment
                .scheduler()
                .schedule(
                        () -> answers.forEach(answer -> answer.complete(Renewal.Outcome.UNKNOWN)), shortest.toNanos());
        return all.thenApply(done -> {
            late.cancel();
            return answers.stream().map(CompletableFuture::join).toList();
        });
    }

    private CompletableFuture<Renewal.Outcome> renew(Renewal renewal) {
        SessionHolder holder = holders.holder(renewal.claim().id());
        if (holder == null) {
            return CompletableFuture.completedFuture(Renewal.Outcome.GONE);
        }
        CompletableFuture<Renewal.Outcome> answer = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                Renewal.Outcome outcome = outcome(holder.session, renewal);
                holders.renewed(holder, renewal, outcome);
                answer.complete(outcome);
            });
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            complaints.say("There is no thread to renew '" + renewal.claim().name() + "' (" + noThread + ").");
            answer.complete(Renewal.Outcome.UNKNOWN);
        }
        return answer;
    }

    private Renewal.Outcome outcome(LockSession session, Renewal renewal) {
        try {
            return session.renew(renewal);
        } catch (SQLException | RuntimeException failure) {
            complaints.say("The session that has '" + renewal.claim().name() + "' has ended (" + failure.getMessage()
                    + "), and with it the lock.");
            // It was the only session that could have the lock.
            return Renewal.Outcome.GONE;
        }
    }
}
