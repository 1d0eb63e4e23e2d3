package io.holdfast.architecture.bad;

/** Waits inside monitors: in a method that is one, and in a block. */
public final class ManyMonitors {

    private int count;

    synchronized int method() {
        return ++count;
    }

    int block() {
        synchronized (this) {
            return ++count;
        }
    }
}
