package io.holdfast.samples;

// region read-write
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import java.time.Duration;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.LongSupplier;
// endregion

/** More than one exclusive lock: readers and writers, permits, several names, leaders. */
public final class Sharing {

    private final Holdfast holdfast;

    /** Locks from {@code holdfast}. */
    public Sharing(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /** One reader among many, then the only writer. */
    public long raise(LongSupplier price, LongWriter writer) {
        // region read-write
        DistributedReadWriteLock prices = holdfast.readWriteLock("prices");
        long seen = prices.readLock().call(lease -> price.getAsLong());
        prices.writeLock().run(lease -> writer.write(lease.token(), seen + 1));
        // endregion
        return seen;
    }

    /** Writes, and reads what was written before anybody else writes. */
    public long writeThenRead(LongSupplier price, Runnable change) {
        // region downgrade
        ReadWriteLock prices = holdfast.readWriteLock("prices").asReadWriteLock();
        prices.writeLock().lock();
        try {
            change.run();
            prices.readLock().lock();
        } finally {
            prices.writeLock().unlock();
        }
        try {
            return price.getAsLong();
        } finally {
            prices.readLock().unlock();
        }
        // endregion
    }

    /** At most three at a time, in all processes together. */
    public void print(Runnable page, Runnable poster) {
        // region semaphore
        DistributedSemaphore printers = holdfast.semaphore("printers", 3);
        printers.run(lease -> page.run());
        try (Lease two = printers.withPermits(2).acquire(Duration.ofSeconds(10))) {
            poster.run();
            two.ensureHeld();
        }
        // endregion
    }

    /** Both accounts or none. */
    public void transfer(String from, String to, Transfer transfer) {
        // region lock-all
        try (LeaseSet both = holdfast.lockSet(from, to).acquire()) {
            transfer.book(both.lease(from).token(), both.lease(to).token());
            both.ensureHeld();
        }
        // endregion
    }

    /** One of many servers makes the reports. */
    public LeaderElection lead(Reports reports) {
        // region election
        LeaderElection election = holdfast.election("reports");
        election.start(new LeaderElection.Listener() {
            @Override
            public void onElected(Lease term) {
                reports.start(term.token());
            }

            @Override
            public void onRevoked(Lease term) {
                reports.stop();
            }
        });
        // endregion
        return election;
    }

    /** Takes a new value, if the token is not old. */
    public interface LongWriter {
        void write(long token, long value);
    }

    /** Books on two accounts. */
    public interface Transfer {
        void book(long fromToken, long toToken);
    }

    /** What the leader does. */
    public interface Reports {
        void start(long token);

        void stop();
    }
}
