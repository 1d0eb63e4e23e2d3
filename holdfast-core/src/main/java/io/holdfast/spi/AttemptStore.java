package io.holdfast.spi;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.support.WaitingStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The simpler half of a store: it can try, but it cannot wait. {@link WaitingStore} makes a {@link LockStore} of it by
 * polling: on a hint, at the known expiry, and after a poll interval, whichever comes first.
 *
 * <p>The rules of {@link LockStore} hold here too: never block, a failed future means unknown, and the claim's id alone
 * decides.
 */
public interface AttemptStore extends AutoCloseable {

    /** One attempt. A claim that this store already granted is granted again, with the same tokens. */
    CompletableFuture<Attempt> attempt(Claim claim);

    /** See {@link LockStore#renew(List)}. */
    CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals);

    /** See {@link LockStore#release(Claim)}. */
    CompletableFuture<Boolean> release(Claim claim);

    /** See {@link LockStore#shorten(Claim, Duration)}. */
    default CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return renew(List.of(new RenewalRequest(claim, lease))).thenApply(RenewalRequest.Outcome::isHeld);
    }

    /** See {@link LockStore#inspect(NameFilter)}. */
    CompletableFuture<List<LockInfo>> inspect(NameFilter filter);

    /** See {@link LockStore#revoke(String, long)}. */
    CompletableFuture<Boolean> revoke(String name, long token);

    /** See {@link LockStore#capabilities()}. */
    Capabilities capabilities();

    /**
     * Called once, before the first attempt: {@code freed} is to be called with a name whenever that may have become free. A
     * hint may be lost, late, doubled or wrong; it only ever saves time. A store without any ignores this.
     */
    void onHint(Consumer<String> freed);

    @Override
    void close();
}
