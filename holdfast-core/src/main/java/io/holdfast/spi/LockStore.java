package io.holdfast.spi;

import io.holdfast.monitoring.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Where locks live. The whole contract between the engine and Redis, SQL, ZooKeeper or a map in this JVM; the kit in
 * {@code holdfast-tck} checks it.
 *
 * <p>All methods return at once, from any thread, and never block: a call that may block belongs on an executor (see
 * {@link BlockingStore}). A future that fails means <em>unknown</em>: the request may or may not have been executed,
 * now or later; only {@link RefusedException} is a definite no. Every future completes, within the store's own command time-out; only a {@link Claim.Mode#WAIT} claim
 * may take as long as its turn needs. Futures may complete on any thread; the engine does only short work there.
 *
 * <p>Claims are identified by {@link Claim#id()} alone, and every method can safely be called again with the same claim.
 */
public interface LockStore extends AutoCloseable {

    /**
     * Takes the name for the claim, or waits for its turn.
     *
     * <p>Completes with the grant; with empty only if the mode is {@link Claim.Mode#TRY} and the name is taken or others
     * wait for it. A claim that this store already granted is granted again with the same tokens and the lease that is
     * left. After {@link #release(Claim)} of the claim, whatever this future does is ignored. Fails with
     * {@link RefusedException} if the name is in use with another capacity.
     */
    CompletableFuture<Optional<Grant>> acquire(Claim claim);

    /** Keeps claims alive; one outcome per renewal, in the same order. Never brings a claim back to life. */
    CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals);

    /**
     * Ends a claim, whether it holds, waits, or is not known here yet: an {@link #acquire(Claim)} of it that arrives
     * later must not be granted, but fail. Ends no other claim.
     *
     * @return whether the claim held the name until now
     */
    CompletableFuture<Boolean> release(Claim claim);

    /**
     * Lets a claim that its holder is done with expire after {@code lease} from now, if that is sooner than it would expire anyway.
     * The name stays locked for that long, whether this process lives or not. Never lengthens.
     *
     * <p>The default leaves the expiry as it is, for stores whose capabilities say {@link Capabilities.Expiry#SESSION}.
     *
     * @return whether the claim held the name until now
     */
    default CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return renew(List.of(new RenewalRequest(claim, lease))).thenApply(RenewalRequest.Outcome::isHeld);
    }

    /** What is held and waited for. Names that are neither held nor waited for are left out. */
    CompletableFuture<List<LockInfo>> inspect(NameFilter filter);

    /**
     * Takes the name away from the holder whose token block contains {@code token}, and from no other. The holder
     * learns of it at its next renewal at the latest.
     *
     * @return whether there was such a holder
     */
    CompletableFuture<Boolean> revoke(String name, long token);

    /** What this store can do. */
    Capabilities capabilities();

    /** Gives back connections and threads. Leaves leases alone: they were released, or they expire. */
    @Override
    void close();
}
