package io.holdfast.simulator;

/** A change to the source text of the engine. */
interface Mutation {

    /** In which class. */
    String className();

    /** The text to replace. */
    String original();

    /** What stands there instead. */
    String mutated();
}
