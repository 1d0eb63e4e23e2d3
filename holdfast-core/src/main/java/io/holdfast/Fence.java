package io.holdfast;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Guards data inside this JVM by fencing tokens: accepts a token if it is not older than the newest one seen, and runs the
 * write before another token is accepted.
 *
 * <pre>{@code
 * fence.guard(lease.token(), () -> stock.set(left));   // StaleTokenException: a later holder has written already
 * }</pre>
 *
 * <p>One fence belongs to one lock, and guards everything that is written under it. With a fence for each thing, an older
 * token would be rejected only at the things that the newer one has already written. Thread-safe.
 */
public final class Fence {

    /*
     * Safety: `newest` never goes down, and a write happens inside the same critical section as its check. So when a
     * write of token t runs, no write of a token above t has run, and every later write carries a token of at least t.
     * The check alone, with the write outside of it, would let a paused writer through.
     */
    private final ReentrantLock mutex = new ReentrantLock();
    private final String lockName;
    private long newest = Long.MIN_VALUE;

    /** A fence for what {@code lockName} guards. */
    public Fence(String lockName) {
        this.lockName = lockName;
    }

    /** A write that returns something. */
    @FunctionalInterface
    public interface Write<T extends @Nullable Object, E extends Exception> {
        /** Writes. */
        T write() throws E;
    }

    /** A write that returns nothing. */
    @FunctionalInterface
    public interface VoidWrite<E extends Exception> {
        /** Writes. */
        void write() throws E;
    }

    /** As {@link #guard(long, Write)}, for a write that returns nothing. */
    @SuppressWarnings("NullAway") // the checker does not see the Nullable in the type argument
    public <E extends Exception> void guard(long token, VoidWrite<E> write) throws E {
        this.<@Nullable Void, E>guard(token, (Write<@Nullable Void, E>) () -> {
            write.write();
            return null;
        });
    }

    /**
     * Runs {@code write} if {@code token} is not stale.
     *
     * @throws StaleTokenException if a newer token was accepted before; {@code write} was not called
     */
    public <T extends @Nullable Object, E extends Exception> T guard(long token, Write<T, E> write) throws E {
        mutex.lock();
        try {
            if (token < newest) {
                throw new StaleTokenException(lockName, "this JVM", token, newest);
            }
            newest = token;
            return write.write();
        } finally {
            mutex.unlock();
        }
    }
}
