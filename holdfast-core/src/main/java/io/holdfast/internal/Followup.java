package io.holdfast.internal;

import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one step of a line leaves to be done once its mutex is free: calls to the store, to waiters, to listeners. */
final class Followup {

    private final Line line;
    private final Engine engine;

    private @Nullable Waiter served;
    private @Nullable HeldLease lease;
    private LockEvent.Kind how = LockEvent.Kind.ACQUIRED;
    private long lookAt;
    private @Nullable Waiter waiting;
    private @Nullable Waiter refused;
    private @Nullable RuntimeException reason;
    private @Nullable Claim release;
    private long releaseLease;
    private long releaseDelay;
    private CompletableFuture<Optional<Boolean>> answer = Releaser.STILL_OURS;
    private @Nullable Bid launch;
    private @Nullable Bid retry;
    private @Nullable Tenure adjust;
    private long adjustLease;
    private @Nullable Hold ended;
    private @Nullable Hold lost;
    private @Nullable Hold forgotten;
    private @Nullable Hold heldTooLong;
    private @Nullable Hold failing;
    private @Nullable Throwable failure;
    private long retryAt;
    private boolean atRisk;

    Followup(Line line, Engine engine) {
        this.line = line;
        this.engine = engine;
    }

    void serve(Waiter waiter, HeldLease with, LockEvent.Kind kind) {
        served = waiter;
        lease = with;
        how = kind;
        lookAt = with.hold().firstLook(engine.warnAfter());
    }

    void waits(Waiter waiter) {
        waiting = waiter;
    }

    void refuse(Waiter waiter, @Nullable RuntimeException why) {
        refused = waiter;
        reason = why;
    }

    void release(Claim claim) {
        release = claim;
        releaseLease = Releaser.lifeOf(claim);
    }

    void release(Tenure tenure) {
        release = tenure.claim;
        releaseLease = tenure.lease;
    }

    void releaseLater(Tenure tenure, long delay) {
        release(tenure);
        releaseDelay = delay;
    }

    void launch(Bid bid) {
        launch = bid;
    }

    void retry(Bid bid) {
        retry = bid;
    }

    void adjust(Tenure tenure, long leaseNanos) {
        adjust = tenure;
        adjustLease = leaseNanos;
    }

    void ended(Hold hold) {
        ended = hold;
    }

    void lost(Hold hold) {
        lost = hold;
    }

    void forgotten(Hold hold) {
        forgotten = hold;
    }

    void heldTooLong(Hold hold) {
        heldTooLong = hold;
    }

    void renewalFailed(Hold hold, @Nullable Throwable cause, boolean firstTime) {
        failing = hold;
        retryAt = hold.tenure.nextRenewal;
        failure = cause;
        atRisk = firstTime;
    }

    /** Does it all; the waiter comes first, because it is the one who waits. */
    void run() {
        if (waiting != null) {
            engine.events().waiting(line.name(), waiting);
        }
        if (served != null && lease != null) {
            served.served(lease);
            engine.keeper().lookAt(lookAt);
            engine.events().served(how, lease.hold(), served);
        }
        give();
        if (lost != null) {
            engine.lost(lost);
        }
        if (refused != null) {
            refused.refused(reason);
        }
        if (launch != null) {
            engine.launch(line, launch);
        }
        if (retry != null) {
            engine.relaunch(line, retry);
        }
        if (adjust != null) {
            engine.keeper().adjust(line, adjust, adjustLease);
        }
        report();
    }

    /** After {@link #run()}: what the store said to the release of a hold; null if no hold ended. */
    @Nullable
    CompletableFuture<Optional<Boolean>> answer() {
        return ended == null ? null : answer;
    }

    private void give() {
        if (release != null && releaseDelay > 0) {
            engine.releaser().releaseLater(release, releaseLease, releaseDelay);
        } else if (release != null) {
            answer = engine.releaser().release(release, releaseLease);
        }
    }

    private void report() {
        if (ended != null) {
            engine.events().ended(LockEvent.Kind.RELEASED, ended, null);
            engine.holdEnded();
        }
        if (forgotten != null) {
            engine.forgotten(forgotten);
        }
        if (heldTooLong != null) {
            engine.events().heldTooLong(heldTooLong);
        }
        if (failing != null) {
            engine.keeper().lookAt(retryAt);
            engine.events().renewalFailed(failing, failure, atRisk);
        }
    }
}
