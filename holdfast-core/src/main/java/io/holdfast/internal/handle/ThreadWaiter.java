package io.holdfast.internal.handle;

import io.holdfast.LeaseState;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LeaseHandle;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.internal.runtime.Engine;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits. The only class that parks one. */
final class ThreadWaiter extends Waiter {

    /** Whether an interrupt ends the wait. */
    enum Interrupts {
        HONOURED,
        DEFERRED
    }

    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 300 : 0;

    private final Engine engine;
    private final Thread thread;
    private @Nullable HeldLease lease;
    private @Nullable RuntimeException reason;
    private volatile boolean done;
    /** Served by another thread, so that this one had to be unparked. */
    private boolean woken;

    ThreadWaiter(Engine engine, LockRequest request, Claim.Mode mode, long since, long joined, long waitNanos) {
        super(request, mode, since, joined, waitNanos, Thread.currentThread(), engine.captureCallSite(joined));
        this.engine = engine;
        this.thread = Objects.requireNonNull(caller);
    }

    @Override
    protected LeaseHandle newLease(LocalQueue queue, HeldGrant held, long token, long now) {
        return new HeldLease(engine, queue, held, this, token, now);
    }

    @Override
    protected void served(LeaseHandle its) {
        lease = (HeldLease) its;
        woken = !Thread.currentThread().equals(thread);
        finish();
    }

    @Override
    protected void refused(@Nullable RuntimeException why) {
        reason = why;
        finish();
    }

    /** The next waiter may be served within microseconds: to spin costs less than to be parked and unparked. */
    private void spin() {
        for (int i = 0; isFirstBehindLocalHolder() && i < SPINS && !done; i++) {
            Thread.onSpinWait();
        }
    }

    private void finish() {
        done = true;
        if (!Thread.currentThread().equals(thread)) {
            LockSupport.unpark(thread);
        }
    }

    /** Was the lease lost before this thread could use it? A machine that is paused or overloaded may wake it after the deadline. */
    boolean isTooLateFor(HeldLease its) {
        return woken && its.state() == LeaseState.LOST;
    }

    /** Waits for the outcome: the lease; null if the name is held and this is a single attempt. */
    @Nullable
    HeldLease await(LocalQueue queue, Interrupts interrupts) {
        spin();
        boolean interrupted = false;
        boolean decided = false;
        boolean holderLookedUp = false;
        try {
            // `done` is read again after every call that takes a mutex: that may park, too, and consume the unpark of
            // finish().
            while (!done) {
                if (Thread.interrupted()) {
                    interrupted = true;
                    if (interrupts == Interrupts.HONOURED && !decided) {
                        decided = !interrupted(queue);
                    }
                    continue;
                }
                long left = decided ? RequestTimes.NO_END : left(engine.nanos());
                if (left <= 0) {
                    decided = !timedOut(queue);
                } else if (!holderLookedUp && left <= engine.lookUpHolderBefore(waitNanos)) {
                    holderLookedUp = true;
                    queue.holder().start();
                } else {
                    LockSupport.parkNanos(this, holderLookedUp ? left : left - engine.lookUpHolderBefore(waitNanos));
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

    /** Throws if that ends the wait; false if the outcome was decided before. */
    private boolean interrupted(LocalQueue queue) {
        if (queue.leave(this, LockEvent.Kind.INTERRUPTED, null)) {
            throw engine.exceptions().interrupted(queue.name(), "Interrupted while waiting; the claim was withdrawn.");
        }
        return false;
    }

    /** As {@link #interrupted}. */
    private boolean timedOut(LocalQueue queue) {
        Throwable outage = queue.outage();
        long now = engine.nanos();
        if (outage != null || mode == Claim.Mode.TRY) {
            RuntimeException unanswered = engine.exceptions().unanswered(this, now, outage);
            if (queue.leave(this, LockEvent.Kind.FAILED, unanswered)) {
                throw unanswered;
            }
        } else if (queue.leave(this, LockEvent.Kind.TIMED_OUT, null)) {
            throw engine.exceptions().timedOut(this, now, queue.holder());
        }
        return false;
    }
}
