package io.holdfast.soak;

/** As what somebody holds a name. */
enum Role {
    /** Of an exclusive lock. */
    OWNER("exclusive"),
    /** Of an exclusive lock, together with others. */
    MEMBER("in a set"),
    /** Of a read/write lock, alone. */
    WRITER("write"),
    /** Of a read/write lock, with others. */
    READER("read"),
    /** Of some of the permits of a semaphore. */
    PERMITS("permits");

    private final String adjective;

    Role(String adjective) {
        this.adjective = adjective;
    }

    /** Is nobody else there meanwhile? Then its token fences. */
    boolean isAlone() {
        return this == OWNER || this == MEMBER || this == WRITER;
    }

    @Override
    public String toString() {
        return adjective;
    }
}
