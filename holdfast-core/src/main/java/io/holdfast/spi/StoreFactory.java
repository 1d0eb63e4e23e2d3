package io.holdfast.spi;

/**
 * Opens a store. The builders of stores are factories, so they are passed to {@code Holdfast.builder} as they are; a lambda serves for a
 * store of one's own.
 */
@FunctionalInterface
public interface StoreFactory {

    /**
     * Opens the store, which the caller closes.
     *
     * @param environment the clock, the timers and the executor that the store uses
     */
    LockStore open(Environment environment);
}
