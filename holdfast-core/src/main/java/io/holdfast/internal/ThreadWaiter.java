package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.LockInterruptedException;
import io.holdfast.spi.Claim;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits. The only place that parks one. */
final class ThreadWaiter extends Waiter {

    /** Whether an interrupt ends the wait. */
    enum Interrupts {
        HONOURED,
        DEFERRED
    }

    private static final int LOOKS = Runtime.getRuntime().availableProcessors() > 1 ? 300 : 0;

    private final Engine engine;
    private @Nullable HeldLease lease;
    private @Nullable RuntimeException reason;
    private volatile boolean done;
    /** Served by another thread, so that this one had to be woken. */
    private boolean woken;

    ThreadWaiter(Engine engine, Wish wish, Claim.Mode mode, long since, long joined, long patience) {
        super(wish, mode, since, joined, patience, Thread.currentThread(), engine.captureSite(joined));
        this.engine = engine;
    }

    @Override
    void served(HeldLease its) {
        lease = its;
        woken = !Thread.currentThread().equals(caller);
        finish();
    }

    @Override
    void refused(@Nullable RuntimeException why) {
        reason = why;
        finish();
    }

    /** Whoever is next may be so in a moment: a few looks cost less than to be put to sleep and woken. */
    private void lookAgain() {
        for (int i = 0; nextHere && i < LOOKS && !done; i++) {
            Thread.onSpinWait();
        }
    }

    private void finish() {
        done = true;
        if (!Thread.currentThread().equals(caller)) {
            LockSupport.unpark(caller);
        }
    }

    /** Was the lease lost before this thread could use it? A machine that is paused or overloaded may wake it after the deadline. */
    boolean isTooLateFor(HeldLease its) {
        return woken && its.state() == LeaseState.LOST;
    }

    /** Waits for the outcome: the lease; null if the name is taken (mode TRY) or the wait is over. */
    @Nullable
    HeldLease await(Line line, Interrupts interrupts) {
        lookAgain();
        boolean interrupted = false;
        boolean decided = false;
        boolean looked = false;
        try {
            while (!done) {
                if (Thread.interrupted()) {
                    interrupted = true;
                    if (interrupts == Interrupts.HONOURED && !decided) {
                        if (line.leave(this)) {
                            throw new LockInterruptedException(
                                    line.name(),
                                    engine.storeName(),
                                    "Interrupted while waiting; the claim was withdrawn.",
                                    null);
                        }
                        decided = true;
                    }
                }
                long left = decided ? Terms.NO_END : left(engine.nanos());
                if (left <= 0) {
                    Throwable outage = line.outage();
                    if (line.leave(this)) {
                        throw engine.failures().outOfTime(line, this, outage);
                    }
                    decided = true;
                } else if (!looked && left <= engine.lookBefore(patience)) {
                    looked = true;
                    line.sight().look();
                } else {
                    LockSupport.parkNanos(this, looked ? left : left - engine.lookBefore(patience));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (reason != null) {
            throw reason;
        }
        return lease;
    }
}
