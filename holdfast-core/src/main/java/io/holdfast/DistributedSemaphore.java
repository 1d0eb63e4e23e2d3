package io.holdfast;

/**
 * A number of permits under one name, over all processes: at most so many are out at a time. A lease has one permit, or
 * several ({@link #taking(int)}); closing it brings them back, and those of a process that died come back when its leases
 * end. Whoever comes first is served first: a large request is not overtaken by small ones. Thread-safe.
 *
 * <p>The number is part of the identity: a name that is in use with another number is refused. Unlike a lock, a semaphore
 * is not re-entrant: a {@code call} inside a {@code call} takes further permits. The tokens of its leases tell them apart,
 * but do not fence anything, because several leases are out at once.
 *
 * <pre>{@code
 * DistributedSemaphore printers = holdfast.semaphore("printers", 3);
 * printers.run(lease -> print(page));
 * try (Lease two = printers.taking(2).acquire()) { … }
 * }</pre>
 */
public interface DistributedSemaphore extends LeaseSource {

    /** How many permits there are. */
    int permits();

    /** How many permits each lease from here has. */
    int taken();

    /**
     * The same semaphore, with leases of so many permits each; all or none.
     *
     * @throws IllegalArgumentException if that is less than 1 or more than there are
     */
    DistributedSemaphore taking(int permits);
}
