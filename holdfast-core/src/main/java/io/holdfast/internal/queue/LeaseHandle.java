package io.holdfast.internal.queue;

/** The lease object that the user holds, as far as a queue knows it. */
public interface LeaseHandle {

    /** The state of the lease, which the queue keeps. */
    LeaseRecord record();

    /** The lease was lost: runs the callbacks that were registered for that. Called without the mutex of a queue. */
    void notifyLost();
}
