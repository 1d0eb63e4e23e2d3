package io.holdfast.internal;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A store inside this process that measures leases on the engine's own monotonic clock. What concerns nobody else, it
 * does at once: no future, no second look at a clock, no foreign code called. For everything else there is the way that
 * all stores have.
 */
interface DirectStore {

    /** Grants the claim if it fits and nobody waits; null if it has to be asked for as usual. */
    @Nullable
    Grant grantNow(Claim claim, long now);

    /** Ends the claim if nobody waits for the name: whether it held. Null if it has to be released as usual. */
    @Nullable
    Boolean releaseNow(Claim claim);
}
