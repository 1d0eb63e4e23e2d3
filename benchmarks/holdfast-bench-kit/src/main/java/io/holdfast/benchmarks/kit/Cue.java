package io.holdfast.benchmarks.kit;

/** Lets forked JVMs do something at the same moment. */
@FunctionalInterface
public interface Cue {

    /** Says that this JVM is ready, and waits until it may go on. */
    void await();
}
