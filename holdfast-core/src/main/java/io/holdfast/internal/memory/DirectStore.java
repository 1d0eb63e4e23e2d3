package io.holdfast.internal.memory;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A store inside this process that measures leases on the engine's own monotonic clock. What concerns no other client, it
 * does at once: no future, no second reading of a clock, no foreign code called. Everything else goes the way of all
 * stores.
 */
public interface DirectStore {

    /** Grants the claim if it fits and no claim waits; null if it has to be acquired as usual. */
    @Nullable
    Grant grantNow(Claim claim, long now);

    /** Ends the claim if no claim waits for the name: whether it held. Null if it has to be released as usual. */
    @Nullable
    Boolean releaseNow(Claim claim);
}
