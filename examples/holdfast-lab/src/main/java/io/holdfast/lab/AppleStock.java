package io.holdfast.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * A database with one number in it. A transaction reads what is committed; what it writes is seen by others when it
 * commits, and the last commit wins. Reading and committing take a round trip each.
 */
final class AppleStock {

    private final IntSupplier read;
    private final IntConsumer write;
    private final Runnable roundTrip;

    /** A stock in the memory of this process. */
    AppleStock(int apples, Duration roundTrip) {
        this(apples, delay(roundTrip));
    }

    AppleStock(int apples, Runnable roundTrip) {
        this(new AtomicInteger(apples), roundTrip);
    }

    private AppleStock(AtomicInteger committed, Runnable roundTrip) {
        this(committed::get, committed::set, roundTrip);
    }

    private AppleStock(IntSupplier read, IntConsumer write, Runnable roundTrip) {
        this.read = read;
        this.write = write;
        this.roundTrip = roundTrip;
    }

    /** A stock that several processes share, in a file that {@link #fill} has written. */
    static AppleStock in(Path file, Duration roundTrip) {
        return new AppleStock(
                () -> read(file), apples -> write(file, apples, StandardOpenOption.WRITE), delay(roundTrip));
    }

    static void fill(Path file, int apples) {
        write(file, apples, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    static int read(Path file) {
        try {
            return Integer.parseInt(Files.readString(file).strip());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The width is fixed, so that nothing has to be truncated: a reader without a guard never finds an empty file. */
    private static void write(Path file, int apples, OpenOption... options) {
        try {
            Files.writeString(file, String.format(Locale.ROOT, "%10d%n", apples), options);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    private static Runnable delay(Duration roundTrip) {
        return () -> LockSupport.parkNanos(roundTrip.toNanos());
    }

    int left() {
        return read.getAsInt();
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
            seen = read.getAsInt();
            if (seen < apples) {
                return false;
            }
            taken = apples;
            return true;
        }

        private void commit() {
            if (taken > 0) {
                roundTrip.run();
                write.accept(seen - taken);
            }
        }
    }
}
