package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.PendingClaim;
import io.holdfast.internal.queue.QueueActions;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Passes what the local queues leave to be done to the class that does it. */
record StoreActions(
        StoreClient store,
        ClaimSender claims,
        ReleaseRetries releases,
        RenewalScheduler renewals,
        GrantConfirmations confirmations,
        Shutdown shutdown)
        implements QueueActions {

    @Override
    public void send(LocalQueue queue, PendingClaim claim) {
        claims.send(queue, claim);
    }

    @Override
    public void resend(LocalQueue queue, PendingClaim claim) {
        claims.resend(queue, claim);
    }

    @Override
    public void withdraw(Claim claim) {
        releases.withdraw(claim);
    }

    @Override
    public CompletableFuture<Optional<Boolean>> release(Claim claim, long life) {
        return releases.release(claim, life);
    }

    @Override
    public CompletableFuture<Optional<Boolean>> releaseLater(Claim claim, long life, long delay) {
        return releases.releaseLater(claim, life, delay);
    }

    @Override
    public void shortenAgain(Claim claim, long rest) {
        releases.shortenAgain(claim, rest);
    }

    @Override
    public void renewForWaiter(LocalQueue queue, HeldGrant held, RenewalRequest renewal) {
        renewals.renewForWaiter(queue, held, renewal);
    }

    @Override
    public void confirm(LocalQueue queue, HeldGrant held) {
        confirmations.add(queue, held);
    }

    @Override
    public void checkLeasesAt(long nanos) {
        renewals.checkAt(nanos);
    }

    @Override
    public void releaseSent() {
        releases.sent();
    }

    @Override
    public void leaseEnded() {
        shutdown.leaseEnded();
    }

    @Override
    public void lostLeaseClosed() {
        shutdown.lostLeaseClosed();
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(String name) {
        return store.inspect(NameFilter.exactly(name));
    }
}
