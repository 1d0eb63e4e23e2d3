package io.holdfast.internal.handle;

/**
 * A re-entrant call under a lease that the current thread holds already.
 *
 * @param <L> what the user sees
 */
interface Reentry<L> {

    /** What the body gets. */
    L view();

    /** The body has ended. */
    void leave();
}
