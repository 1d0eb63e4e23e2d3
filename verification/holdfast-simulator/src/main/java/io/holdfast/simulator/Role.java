package io.holdfast.simulator;

/** As what somebody holds a name. */
public enum Role {
    /** Of an exclusive lock. */
    OWNER("exclusive"),
    /** Of an exclusive lock, together with others. */
    MEMBER("in a set"),
    /** Of a seat, by election. */
    LEADER("leading"),
    /** Of a read/write lock, alone. */
    WRITER("write"),
    /** Of a read/write lock, with others. */
    READER("read"),
    /** Of a read/write lock: a reader that was a writer, under the same lease. */
    DOWNGRADED("downgraded"),
    /** Of some of the permits of a semaphore. */
    PERMITS("permit");

    private final String adjective;

    Role(String adjective) {
        this.adjective = adjective;
    }

    /** Is nobody else there meanwhile? */
    boolean isAlone() {
        return this == OWNER || this == MEMBER || this == LEADER || this == WRITER;
    }

    /** Its leases, as in "read leases". */
    @Override
    public String toString() {
        return adjective;
    }
}
