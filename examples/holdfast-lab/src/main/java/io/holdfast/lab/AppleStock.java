package io.holdfast.lab;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * A database with one number in it. A transaction reads what is committed; what it writes is seen by others when it
 * commits, and the last commit wins. Reading and committing take a round trip each.
 */
final class AppleStock {

    private final Runnable roundTrip;
    private volatile int committed;

    /** A stock that is this far away. */
    AppleStock(int apples, Duration roundTrip) {
        this(apples, () -> LockSupport.parkNanos(roundTrip.toNanos()));
    }

    AppleStock(int apples, Runnable roundTrip) {
        this.committed = apples;
        this.roundTrip = roundTrip;
    }

    int left() {
        return committed;
    }

    /** Runs {@code body}, then commits what it wrote: what a transaction proxy does around the method it wraps. */
    boolean transact(Predicate<Transaction> body) {
        Transaction transaction = new Transaction();
        boolean result = body.test(transaction);
        transaction.commit();
        return result;
    }

    /** One customer's view of the stock. Used by one thread. */
    final class Transaction {

        private int taken;
        private int seen;

        /** Takes the apples if that many are left. */
        boolean take(int apples) {
            roundTrip.run();
            seen = committed;
            if (seen < apples) {
                return false;
            }
            taken = apples;
            return true;
        }

        private void commit() {
            if (taken > 0) {
                roundTrip.run();
                committed = seen - taken;
            }
        }
    }
}
