package io.holdfast.tck;

import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Optional;

/** A way to break a store. */
interface PlantedBug {

    /** The name of the case that has to fail. */
    String caughtBy();

    /** What the failure has to say, so that the case does not fail for another reason; empty if there is only one. */
    default String because() {
        return "";
    }

    /** How long the case waits for what must come: briefly, if that does not come. */
    default Duration patience() {
        return Duration.ofSeconds(1);
    }

    /** How other processes open the broken store; most bugs show in one. */
    default Optional<StoreAddress> address(Broken.Shared shared) {
        return Optional.empty();
    }

    LockStore breakIt(LockStore store, Broken.Shared shared);
}
