package io.holdfast.jdbc.internal;

import io.holdfast.spi.Claim;

/** A request of a claim was executed after the claim was released. It has acquired nothing. */
public final class StaleRequestException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public StaleRequestException(Claim claim) {
        super("Claim " + claim.id() + " for '" + claim.name()
                + "' was released before this request was executed, so the request acquires nothing.");
    }
}
