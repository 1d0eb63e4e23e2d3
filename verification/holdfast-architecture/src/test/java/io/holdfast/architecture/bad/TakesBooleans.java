package io.holdfast.architecture.bad;

/** Asks for true or false. */
public interface TakesBooleans {

    void close(boolean now);
}
