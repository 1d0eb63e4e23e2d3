package io.holdfast.tck;

import io.holdfast.spi.LockStore;

/** A way to break a store. */
interface PlantedBug {

    /** The name of the case that has to fail. */
    String caughtBy();

    /** What the failure has to say, so that the case does not fail for another reason; empty if there is only one. */
    default String because() {
        return "";
    }

    LockStore breakIt(LockStore store, Broken.Shared shared);
}
