package io.holdfast.benchmarks.redis;

/** Lets forked JVMs do something at the same moment. */
@FunctionalInterface
interface Cue {

    /** Says that this JVM is ready, and waits until it may go on. */
    void await();
}
