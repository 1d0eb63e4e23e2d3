package io.holdfast.benchmarks;

/** What a thread passes a gate for. Public for the code that JMH generates. */
public enum Purpose {
    CHANGE,
    LOOK
}
