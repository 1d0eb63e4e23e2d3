package io.holdfast.benchmarks.jdbc;

/** What makes locks of a database. */
enum Kind {
    LEASE_TABLE("Holdfast, lease table"),
    /** Serves all processes one after the other, as far as the store can. */
    STRICT("Holdfast, strict order"),
    SESSION_LOCKS("Holdfast, session locks"),
    EARLIER_TABLE("Holdfast earlier, lease table"),
    EARLIER_SESSIONS("Holdfast earlier, session locks"),
    /** What is left of the above without a database. */
    IN_JVM("Holdfast, nothing sent"),
    SPRING("JdbcLockRegistry"),
    SHEDLOCK("ShedLock"),
    /** The functions of the database, as one would call them by hand. */
    NAIVE("naive"),
    /** The same, and a counter that every holder increments and commits: what a fencing token takes at least. */
    NAIVE_TOKEN("naive with a token"),
    /** For one thread, which has nobody to keep out: what is left is the work under the lock. */
    NO_LOCK("no lock");

    private final String label;

    Kind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    boolean isOurs() {
        return this == LEASE_TABLE || this == STRICT || this == SESSION_LOCKS;
    }
}
