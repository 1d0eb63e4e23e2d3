package io.holdfast.spi;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.support.ThreadedStore;
import java.time.Duration;
import java.util.List;

/**
 * A store on a driver that blocks, such as JDBC. {@link ThreadedStore} runs its calls on an executor and makes an
 * {@link AttemptStore} of it. Any exception means that the outcome is unknown.
 */
public interface BlockingStore extends AutoCloseable {

    /** See {@link AttemptStore#attempt(Claim)}. */
    Attempt attempt(Claim claim) throws Exception;

    /** See {@link LockStore#renew(List)}. */
    List<RenewalRequest.Outcome> renew(List<RenewalRequest> renewals) throws Exception;

    /** See {@link LockStore#release(Claim)}. */
    boolean release(Claim claim) throws Exception;

    /** See {@link LockStore#shorten(Claim, Duration)}. */
    default boolean shorten(Claim claim, Duration lease) throws Exception {
        return RenewalRequest.Outcome.isHeld(renew(List.of(new RenewalRequest(claim, lease))));
    }

    /** See {@link LockStore#inspect(NameFilter)}. */
    List<LockInfo> inspect(NameFilter filter) throws Exception;

    /** See {@link LockStore#revoke(String, long)}. */
    boolean revoke(String name, long token) throws Exception;

    /** See {@link LockStore#capabilities()}. */
    Capabilities capabilities();

    @Override
    void close();
}
