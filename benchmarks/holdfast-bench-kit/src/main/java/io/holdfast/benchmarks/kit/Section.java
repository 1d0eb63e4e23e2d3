package io.holdfast.benchmarks.kit;

import java.util.List;

/**
 * One table, and how it is measured.
 *
 * @param <A> where
 */
public interface Section<A extends Arena> {

    /** What the command line and the page call it. */
    String key();

    /** What the table shows. */
    String title();

    List<Column> columns();

    List<Goal> goals();

    /** Measures all contestants once. */
    void measure(A arena, Round round);

    /** What it is measured on. */
    default Jdk jdk() {
        return Jdk.current();
    }
}
