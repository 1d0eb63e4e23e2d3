package io.holdfast.migration;

import io.holdfast.Holdfast;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/** A Holdfast for the endpoints of Spring Integration that take a lock registry. */
final class AsLockRegistry {

    private AsLockRegistry() {}

    static LockRegistry<Lock> of(Holdfast holdfast) {
        // region as-registry
        LockRegistry<Lock> registry = key -> holdfast.lock(key.toString()).asLock();
        // endregion
        return registry;
    }
}
