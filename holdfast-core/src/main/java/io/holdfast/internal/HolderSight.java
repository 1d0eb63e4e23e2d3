package io.holdfast.internal;

import io.holdfast.LockInfo;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.NameFilter;
import org.jspecify.annotations.Nullable;

/** What is known of who holds a name, for the message of a time-out. */
final class HolderSight {

    private final Engine engine;
    private final Line line;
    private volatile @Nullable LockInfo seen;

    HolderSight(Engine engine, Line line) {
        this.engine = engine;
        this.line = line;
    }

    /** Asks the store, unless this process holds the name itself. */
    void look() {
        if (line.find(hold -> true) == null) {
            Futures.whenDone(engine.inspect(NameFilter.exactly(line.name())), (infos, failure) -> {
                if (infos != null) {
                    seen = infos.isEmpty() ? null : infos.get(0);
                    line.storeAnswered();
                }
            });
        }
    }

    /** Has the store named a holder? */
    boolean knowsHolder() {
        LockInfo info = seen;
        return info != null && !info.isFree();
    }

    String describe(@Nullable Thread asker, long now) {
        Hold held = line.find(hold -> asker != null && asker.equals(hold.caller));
        if (held == null) {
            held = line.find(hold -> true);
        }
        if (held != null) {
            return heldBy(held.caller, asker) + " for " + DurationText.of(now - held.since) + ", acquired at "
                    + held.acquiredAt();
        }
        LockInfo info = seen;
        if (info == null || info.isFree()) {
            return "the holder is not known";
        }
        LockInfo.Holder holder = info.holders().get(0);
        return "held by " + holder.owner() + " for " + DurationText.of(holder.age()) + ", token " + holder.firstToken()
                + ", " + info.waiters() + " waiting in the store";
    }

    private static String heldBy(@Nullable Thread holder, @Nullable Thread asker) {
        if (holder == null) {
            return "held in this process, by asynchronous code,";
        }
        return holder.equals(asker)
                ? "held by this thread (acquire() is not re-entrant; call(), run() and asLock() are)"
                : "held in this process by thread '" + holder.getName() + "'";
    }
}
