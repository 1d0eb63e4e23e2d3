package io.holdfast.jdbc.internal;

/** A request came after the store was closed, or was queued when it was closed. */
public final class StoreClosedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public StoreClosedException() {
        super("The store was closed, so the request is not executed.");
    }
}
