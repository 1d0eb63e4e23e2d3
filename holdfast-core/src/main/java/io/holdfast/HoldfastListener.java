package io.holdfast;

/**
 * Is told what happens to locks. Called on the executor of the {@link Holdfast}, in no particular order across names;
 * what it throws is logged and otherwise ignored.
 */
@FunctionalInterface
public interface HoldfastListener {

    /** Something happened. */
    void on(LockEvent event);
}
