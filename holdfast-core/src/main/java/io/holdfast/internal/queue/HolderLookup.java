package io.holdfast.internal.queue;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.LockInfos;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is known of the holder of a name, for the exception of a wait that timed out. */
public final class HolderLookup {

    private final QueueContext context;
    private final LocalQueue queue;
    private volatile @Nullable LockInfo seen;

    HolderLookup(QueueContext context, LocalQueue queue) {
        this.context = context;
        this.queue = queue;
    }

    /** Reads the holder from the store, unless this process holds the name itself. */
    public void start() {
        if (queue.find(any -> true) == null) {
            var unused = context.actions().inspect(queue.name()).whenComplete((infos, failure) -> {
                if (infos != null) {
                    seen = infos.isEmpty() ? null : infos.get(0);
                    queue.storeAnswered();
                }
            });
        }
    }

    /** Has the store reported a holder? */
    boolean knowsHolder() {
        LockInfo info = seen;
        return info != null && !info.isFree();
    }

    /** The holder in this process, or what the store has reported. */
    Optional<LockInfo> info() {
        LeaseRecord record = queue.find(any -> true);
        if (record == null) {
            return Optional.ofNullable(seen);
        }
        LockInfo.Holder holder = LockInfos.holder(
                record.request.owner(),
                record.capacity(),
                record.held.units(),
                record.token,
                1 + record.held.tokensLeft(),
                Duration.ofNanos(context.nanos() - record.since),
                Duration.ofNanos(Math.max(0, record.left(context.now()))));
        return Optional.of(LockInfos.of(queue.name(), record.capacity(), List.of(holder), 0, List.of()));
    }

    String describe(@Nullable Thread caller, long now) {
        LeaseRecord record = queue.find(each -> caller != null && caller.equals(each.caller));
        if (record == null) {
            record = queue.find(any -> true);
        }
        if (record != null) {
            return heldBy(record.caller, caller) + " for " + DurationText.of(now - record.since) + ", acquired at "
                    + CallSites.describe(record.callSite);
        }
        LockInfo info = seen;
        if (info == null || info.isFree()) {
            return "the holder is not known";
        }
        LockInfo.Holder holder = info.holders().get(0);
        return "held by " + holder.owner() + " for " + DurationText.of(holder.age()) + ", token " + holder.token()
                + ", " + info.waiters() + " waiting in the store";
    }

    private static String heldBy(@Nullable Thread holder, @Nullable Thread caller) {
        if (holder == null) {
            return "held in this process, by asynchronous code,";
        }
        return holder.equals(caller)
                ? "held by this thread (acquire() is not re-entrant; call(), run() and asLock() are)"
                : "held in this process by thread '" + holder.getName() + "'";
    }
}
