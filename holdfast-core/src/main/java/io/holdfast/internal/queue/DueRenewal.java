package io.holdfast.internal.queue;

import io.holdfast.spi.RenewalRequest;

/**
 * A renewal that has to be sent.
 *
 * @param queue whose grant it is
 * @param held the grant
 * @param request what to send
 * @param left the time to the deadline at the moment of the scan: answers move the deadline while renewals are sorted
 */
public record DueRenewal(LocalQueue queue, HeldGrant held, RenewalRequest request, long left) {}
