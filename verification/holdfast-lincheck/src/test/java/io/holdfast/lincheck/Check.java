package io.holdfast.lincheck;

/** What Lincheck is to check. */
interface Check {

    /** Does everything once, in one thread, so that classes are initialised outside of Lincheck, which would see that too. */
    void rehearse();

    /** What must be true when all threads are done. Throws if it is not. */
    void settle();
}
