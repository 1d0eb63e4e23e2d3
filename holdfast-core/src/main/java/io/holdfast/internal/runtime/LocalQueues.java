package io.holdfast.internal.runtime;

import io.holdfast.internal.memory.TokenClock;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.QueueContext;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The local queues of one {@code Holdfast} by name. */
final class LocalQueues {

    private final QueueContext context;
    private final ConcurrentHashMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

    LocalQueues(QueueContext context) {
        this.context = context;
    }

    LocalQueue join(Waiter waiter) {
        String name = waiter.request.name();
        while (true) {
            LocalQueue queue = queues.get(name);
            if (queue == null) {
                LocalQueue fresh =
                        new LocalQueue(context, name, waiter.request.units().capacity());
                LocalQueue raced = queues.putIfAbsent(name, fresh);
                queue = raced == null ? fresh : raced;
            }
            if (queue.join(waiter)) {
                return queue;
            }
        }
    }

    @Nullable
    LocalQueue get(String name) {
        return queues.get(name);
    }

    Collection<LocalQueue> all() {
        return queues.values();
    }

    void remove(LocalQueue queue) {
        queues.remove(queue.name(), queue);
    }

    LocalLocks report() {
        List<LocalLocks.Held> held = new ArrayList<>();
        List<LocalLocks.Waiting> waiting = new ArrayList<>();
        all().forEach(queue -> queue.report(held, waiting));
        return new LocalLocks(held, waiting);
    }

    /** The store knows which block of tokens this process has; only the process knows which of them is in use. */
    LockInfo withTokensInUse(LockInfo info) {
        LocalQueue queue = queues.get(info.name());
        if (queue == null) {
            return info;
        }
        List<LockInfo.Holder> holders = info.holders().stream()
                .map(holder -> withTokenInUse(holder, queue))
                .toList();
        return new LockInfo(info.name(), info.kind(), info.permits(), holders, info.waiters(), info.queue());
    }

    private static LockInfo.Holder withTokenInUse(LockInfo.Holder holder, LocalQueue queue) {
        TokenClock.Block ours = queue.tokensInUse(holder.token());
        return ours == null
                ? holder
                : new LockInfo.Holder(
                        holder.owner(),
                        holder.mode(),
                        holder.permits(),
                        ours.first(),
                        ours.size(),
                        holder.age(),
                        holder.remaining());
    }
}
