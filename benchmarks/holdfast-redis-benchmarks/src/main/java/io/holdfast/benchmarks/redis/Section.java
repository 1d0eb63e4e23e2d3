package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.Jdk;
import java.util.List;

/** One table, and how it is measured. */
interface Section {

    /** What the command line and the page call it. */
    String key();

    /** What the table shows. */
    String title();

    List<Column> columns();

    List<Goal> goals();

    /** Measures all contestants once. */
    void measure(Arena arena, Round round);

    /** What it is measured on. */
    default Jdk jdk() {
        return Jdk.current();
    }
}
