package io.holdfast.spi;

import java.time.Duration;

/** The answer to one attempt of an {@link AttemptStore}. */
public sealed interface Attempt {

    /**
     * The claim has the name.
     *
     * @param grant the store's yes
     */
    record Granted(Grant grant) implements Attempt {}

    /**
     * The claim does not fit now.
     *
     * @param retryAfter when the present leases end by themselves, if they are not renewed: waiting longer than this
     *     without another attempt would sleep past an expiry
     */
    record Busy(Duration retryAfter) implements Attempt {}
}
