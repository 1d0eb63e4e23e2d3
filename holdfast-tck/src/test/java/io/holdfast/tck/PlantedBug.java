package io.holdfast.tck;

import io.holdfast.spi.LockStore;

/** A way to break a store. */
interface PlantedBug {

    /** The name of the case that has to fail. */
    String caughtBy();

    LockStore breakIt(LockStore store, Broken.Shared shared);
}
