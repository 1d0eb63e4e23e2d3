package io.holdfast.soak;

/** What the locks guard: a list for each name, to which one appends how long it has seen it. */
interface Data extends AutoCloseable {

    /**
     * How long the list is, or -1 if the token is stale.
     *
     * @param token of the lease under which the list will be written to
     */
    long look(String name, long token);

    /** Appends an entry; says whether it was allowed to. */
    boolean append(String name, FencedWrites.Entry entry);

    @Override
    void close();
}
