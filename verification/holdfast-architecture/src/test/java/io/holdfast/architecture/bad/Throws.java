package io.holdfast.architecture.bad;

/** Throws just anything. */
public interface Throws {

    void run() throws Exception;
}
