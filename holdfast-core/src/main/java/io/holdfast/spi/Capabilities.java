package io.holdfast.spi;

/**
 * Facts about a store, checked when something is built on it, so that what it cannot do is refused early and with a
 * sentence.
 *
 * @param name what to call the store in messages; without credentials
 * @param queue how claims that wait are ordered
 * @param sharing whether several claims may hold a name together (capacity above 1)
 * @param expiry what ends a lease whose process has died
 */
public record Capabilities(String name, Queue queue, Sharing sharing, Expiry expiry) {

    /** A store in which a lease expires by its own length. */
    public Capabilities(String name, Queue queue, Sharing sharing) {
        this(name, queue, sharing, Expiry.LEASE);
    }

    /** What ends a lease that is neither renewed nor released. */
    public enum Expiry {
        /** Its length: the store ends it, and can end it sooner by {@link LockStore#shorten}. */
        LEASE,
        /** The end of the process's session. A lease cannot outlive its process, so {@code holdAtLeast} is refused. */
        SESSION
    }

    /** The order in which waiting claims are served. */
    public enum Queue {
        /** First come, first served, across processes. */
        FIFO,
        /** No order: the claim that polls at the right moment. Threads of one process are still served in order. */
        NONE
    }

    /** Whether units and capacity are honoured. */
    public enum Sharing {
        /** Any capacity. */
        UNITS,
        /** 1 of 1, and readers and writers: 1 or all of {@link Claim#READ_WRITE}. */
        READ_WRITE,
        /** Only 1 of 1. */
        EXCLUSIVE_ONLY;

        /** Whether a name can have that capacity. */
        public boolean allows(int capacity) {
            return switch (this) {
                case UNITS -> true;
                case READ_WRITE -> capacity == 1 || capacity == Claim.READ_WRITE;
                case EXCLUSIVE_ONLY -> capacity == 1;
            };
        }
    }
}
