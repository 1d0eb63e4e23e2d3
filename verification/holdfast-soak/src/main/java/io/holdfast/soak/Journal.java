package io.holdfast.soak;

/** Where those who work report. Thread-safe. */
interface Journal {

    /** Somebody has had something. */
    void section(Section section);

    /** Somebody has written, or was not allowed to. */
    void write(Write write);

    /** Something that is worth counting has happened. */
    void count(String what);

    /** Something that must not happen has happened. */
    void violation(String what);
}
