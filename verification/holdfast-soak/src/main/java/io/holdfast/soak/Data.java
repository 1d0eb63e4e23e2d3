package io.holdfast.soak;

/** What the locks guard: a list for each name, to which one appends how long it has seen it. */
interface Data extends AutoCloseable {

    /**
     * How long the list is, or -1 if the token is stale.
     *
     * @param token of the lease under which the list will be written to
     * @throws OutOfReachException if nobody answers
     */
    long look(String name, long token);

    /**
     * Appends an entry; says whether it was allowed to.
     *
     * @throws OutOfReachException if nobody answers; it may have been appended
     */
    boolean append(String name, FencedWrites.Entry entry);

    @Override
    void close();

    /** The data are where things fail. */
    final class OutOfReachException extends RuntimeException {

        private static final long serialVersionUID = 1;

        OutOfReachException(Throwable cause) {
            super(cause);
        }
    }
}
