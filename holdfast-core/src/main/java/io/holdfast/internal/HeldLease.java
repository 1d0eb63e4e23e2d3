package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** The lease in the user's hands. Callbacks live here and not in the {@link Hold}, which must not keep this reachable. */
final class HeldLease implements Lease {

    private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    private static final AtomicReferenceFieldUpdater<HeldLease, @Nullable OnLost> ON_LOST =
            AtomicReferenceFieldUpdater.newUpdater(HeldLease.class, OnLost.class, "onLost");

    private final Engine engine;
    private volatile @Nullable OnLost onLost;
    private final Hold hold;

    /** A callback, and the one that was registered before it. */
    private record OnLost(Runnable callback, @Nullable OnLost earlier) {}

    HeldLease(Engine engine, Line line, Tenure tenure, Waiter waiter, long token, long now) {
        this.engine = engine;
        this.hold = new Hold(this, line, tenure, waiter, token, now);
    }

    Hold hold() {
        return hold;
    }

    @Override
    public String name() {
        return hold().line.name();
    }

    @Override
    public long token() {
        return hold().token;
    }

    @Override
    public LeaseState state() {
        Hold its = hold();
        LeaseState recorded = its.recorded();
        if (recorded != LeaseState.HELD) {
            return recorded;
        }
        Moment now = engine.now();
        if (its.left(now) <= 0) {
            // Whoever looks first says it; the Keeper may be late, or this process may have been paused.
            its.line.lose(its, "its deadline passed");
            return its.recorded();
        }
        return its.tenure.failing() ? LeaseState.AT_RISK : LeaseState.HELD;
    }

    /** Is it the holder's at this moment? */
    boolean isHeld() {
        LeaseState now = state();
        return now == LeaseState.HELD || now == LeaseState.AT_RISK;
    }

    @Override
    public Duration remaining() {
        Hold its = hold();
        if (its.recorded() != LeaseState.HELD) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, its.left(engine.now())));
    }

    @Override
    public void ensureHeld() {
        LeaseState now = state();
        if (now == LeaseState.LOST) {
            throw lost();
        }
        if (now == LeaseState.RELEASED) {
            throw new LeaseLostException(
                    name(),
                    engine.storeName(),
                    "The lease (token " + token() + ") was released: do the work before closing it.",
                    null);
        }
    }

    LeaseLostException lost() {
        return new LeaseLostException(
                name(),
                engine.storeName(),
                "The lease (token " + token() + ") was lost " + DurationText.of(hold().heldUntilLost())
                        + " after it was acquired: " + hold().reason()
                        + ". Do not trust what was done under it; check, or fence by token.",
                null);
    }

    @Override
    public void onLost(Runnable callback) {
        OnLost earlier = onLost;
        while (!ON_LOST.compareAndSet(this, earlier, new OnLost(callback, earlier))) {
            earlier = onLost;
        }
        if (state() == LeaseState.LOST) {
            fireLost();
        }
    }

    /** Runs every callback that has not run yet. */
    void fireLost() {
        Deque<Runnable> inOrder = new ArrayDeque<>();
        for (OnLost each = ON_LOST.getAndSet(this, null); each != null; each = each.earlier) {
            inOrder.push(each.callback);
        }
        inOrder.forEach(engine::execute);
    }

    @Override
    public boolean release() {
        CompletableFuture<Boolean> answer = give();
        return answer != null && answer.join();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        CompletableFuture<Boolean> answer = give();
        if (answer == null) {
            return CompletableFuture.completedFuture(false);
        }
        return answer.isDone() ? answer.copy() : answer.thenApplyAsync(ours -> ours, engine::execute);
    }

    @Override
    public void close() {
        CompletableFuture<Boolean> answer = give();
        if (answer != null && !answer.join() && hold().recorded() == LeaseState.LOST) {
            throw lost();
        }
    }

    /** As {@link #release()}, without waiting; completes wherever the store's answer does. */
    CompletableFuture<Boolean> giveBack() {
        CompletableFuture<Boolean> answer = give();
        return answer == null ? NO : answer;
    }

    /** No code has used it: it is released at once, whatever {@code holdAtLeast} says, and nobody is notified. */
    void drop() {
        hold().unseen = true;
        var unused = give();
    }

    /** Gives it back; null if that was done before. */
    private @Nullable CompletableFuture<Boolean> give() {
        Hold its = hold();
        if (!its.close()) {
            return null;
        }
        CompletableFuture<Optional<Boolean>> answer = its.line.release(its);
        if (answer == null) {
            return NO;
        }
        if (answer.isDone()) {
            return concluded(answer.join()) ? YES : NO;
        }
        return answer.thenApply(this::concluded);
    }

    /** An unknown outcome is no loss: at the time of the call the lease had not run out. */
    private boolean concluded(Optional<Boolean> stillOurs) {
        boolean ours = stillOurs.orElse(true);
        if (!ours) {
            hold().lost("the store did not have it any more when it was released", engine.nanos());
            engine.events().lostAtRelease(hold());
            engine.lost(hold());
        }
        return ours;
    }

    @Override
    public String toString() {
        return "Lease[" + name() + ", token " + token() + ", " + state() + "]";
    }
}
