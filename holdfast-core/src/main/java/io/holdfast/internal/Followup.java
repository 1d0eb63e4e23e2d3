package io.holdfast.internal;

import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one step of a line leaves to be done once its mutex is free: calls to the store, to waiters, to listeners. */
final class Followup {

    private final Line line;
    private final Engine engine;
    /** Are there listeners? Their events are added to queues at once, under the mutex, which keeps them in order. */
    private final boolean listened;

    // What nearly every step does has a field; all else is a list of things to do.
    private @Nullable Waiter served;
    private @Nullable Claim release;
    private @Nullable Claim delayed;
    private long releaseLife;
    private long releaseDelay;
    private @Nullable Bid launch;
    private @Nullable Hold ended;
    private @Nullable List<Runnable> others;
    private CompletableFuture<Optional<Boolean>> answer = Releaser.STILL_OURS;

    Followup(Line line, Engine engine) {
        this.line = line;
        this.engine = engine;
        this.listened = engine.events().hasListeners();
    }

    void serve(Waiter waiter, HeldLease lease, LockEvent.Kind how) {
        waiter.given = lease;
        waiter.lookAt = lease.hold().firstLook(engine.warnAfter());
        if (listened) {
            engine.events().served(how, lease.hold(), waiter);
        }
        if (served == null) {
            served = waiter;
        } else {
            also(() -> deliver(waiter));
        }
    }

    void waits(Waiter waiter) {
        if (listened) {
            engine.events().waiting(line.name(), waiter);
        }
    }

    void refuse(Waiter waiter, @Nullable RuntimeException why) {
        also(() -> waiter.refused(why));
    }

    /** Ends a claim that was not granted, as far as is known. */
    void release(Claim waiting) {
        also(() -> engine.releaser().withdraw(waiting));
    }

    void release(Tenure tenure) {
        long life = tenure.life();
        if (release == null && delayed == null) {
            release = tenure.claim;
            releaseLife = life;
        } else {
            also(() -> engine.releaser().letGo(tenure.claim, life));
        }
    }

    void releaseLater(Tenure tenure, long delay) {
        long life = tenure.life();
        if (release == null && delayed == null) {
            delayed = tenure.claim;
            releaseLife = life;
            releaseDelay = delay;
        } else {
            also(() -> {
                var unused = engine.releaser().releaseLater(tenure.claim, life, delay);
            });
        }
    }

    void shortenAgain(Tenure tenure) {
        long rest = tenure.heldBackFor(engine.nanos());
        also(() -> engine.releaser().shortenAgain(tenure.claim, rest));
    }

    void launch(Bid bid) {
        if (launch == null) {
            launch = bid;
        } else {
            also(() -> engine.launch(line, bid));
        }
    }

    void retry(Bid bid) {
        also(() -> engine.relaunch(line, bid));
    }

    void acquireFailed(Waiter waiter, Throwable cause) {
        if (listened) {
            engine.events().acquireFailed(line.name(), waiter, cause);
        }
    }

    void adjust(Tenure tenure, RenewalRequest renewal) {
        also(() -> engine.keeper().adjust(line, tenure, renewal));
    }

    void confirm(Tenure tenure) {
        also(() -> engine.confirmations().add(line, tenure));
    }

    void lookAt(long nanos) {
        also(() -> engine.keeper().lookAt(nanos));
    }

    void ended(Hold hold) {
        ended = hold;
        happened(LockEvent.Kind.RELEASED, hold, null);
    }

    /** The critical section of a lost lease has ended. */
    void lateEnd() {
        also(engine::lateEnd);
    }

    void lost(Hold hold) {
        happened(LockEvent.Kind.LOST, hold, null);
        also(() -> engine.lost(hold));
    }

    void ownerDied(Hold hold) {
        happened(LockEvent.Kind.FORGOTTEN, hold, null);
        also(() -> {
            engine.events().ownerDied(hold);
            engine.holdEnded();
        });
    }

    void forgotten(Hold hold) {
        happened(LockEvent.Kind.FORGOTTEN, hold, null);
        also(() -> engine.events().forgotten(hold));
    }

    void heldTooLong(Hold hold) {
        also(() -> engine.events().heldTooLong(hold));
    }

    void renewalFailed(Hold hold, @Nullable Throwable cause, boolean firstTime) {
        long retryAt = hold.tenure.nextRenewal;
        happened(LockEvent.Kind.RENEWAL_FAILED, hold, cause);
        if (firstTime) {
            happened(LockEvent.Kind.AT_RISK, hold, cause);
        }
        also(() -> {
            engine.keeper().lookAt(retryAt);
            if (firstTime) {
                engine.events().renewalFailed(hold, cause);
            }
        });
    }

    /** The bid to send, for a caller that sends it itself after {@link #run()}. */
    @Nullable
    Bid takeLaunch() {
        Bid bid = launch;
        launch = null;
        return bid;
    }

    /** Does it all; the waiter comes first, because it is the one who waits. */
    void run() {
        if (served != null) {
            deliver(served);
        }
        if (release != null) {
            answer = engine.releaser().release(release, releaseLife);
        } else if (delayed != null) {
            answer = engine.releaser().releaseLater(delayed, releaseLife, releaseDelay);
        }
        if (launch != null) {
            engine.launch(line, launch);
        }
        if (others != null) {
            others.forEach(Runnable::run);
        }
        if (ended != null) {
            engine.holdEnded();
        }
        if (listened) {
            engine.events().deliver();
        }
    }

    /** After {@link #run()}: what the store said to the release of a hold; null if no hold ended. */
    @Nullable
    CompletableFuture<Optional<Boolean>> answer() {
        return ended == null ? null : answer;
    }

    private void deliver(Waiter waiter) {
        HeldLease lease = waiter.given;
        if (lease != null) {
            waiter.served(lease);
            engine.keeper().lookAt(waiter.lookAt);
        }
    }

    private void happened(LockEvent.Kind what, Hold hold, @Nullable Throwable cause) {
        if (listened) {
            engine.events().happened(what, hold, cause);
        }
    }

    private void also(Runnable other) {
        if (others == null) {
            others = new ArrayList<>(2);
        }
        others.add(other);
    }
}
