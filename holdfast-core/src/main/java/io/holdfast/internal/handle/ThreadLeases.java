package io.holdfast.internal.handle;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases that belong to the current thread, by name: what makes {@code call}, {@code run} and {@code asLock()} re-entrant. */
public final class ThreadLeases {

    @SuppressWarnings("ThreadLocalUsage") // one per engine: the same name may be held through two of them
    private final ThreadLocal<@Nullable Map<String, Entry>> current = new ThreadLocal<>();

    @SuppressWarnings("ThreadLocalUsage") // as above
    private final ThreadLocal<@Nullable InterruptibleBody> body = new ThreadLocal<>();

    /** One name that the thread is inside of. */
    static final class Entry {
        final HeldLease lease;
        /** The entry of the same name that this one was made inside of: its lease was released before the body ended. */
        @Nullable
        Entry outer;
        /** How often it was entered again and not left, as an exclusive or write lock. */
        int locks;
        /** The same on a read lock. */
        int readLocks;
        /** The last {@code unlock()} releases it; else the end of the body does. */
        boolean byLock;

        Entry(HeldLease lease) {
            this.lease = lease;
        }
    }

    /** The current thread begins a body that can be interrupted. */
    InterruptibleBody beginBody() {
        InterruptibleBody inner = new InterruptibleBody(body.get());
        body.set(inner);
        return inner;
    }

    /** It has ended; the thread is in the body around it again. */
    void endBody(InterruptibleBody ended) {
        InterruptibleBody outer = ended.outer();
        if (outer == null) {
            body.remove();
        } else {
            body.set(outer);
        }
    }

    @Nullable
    Entry find(String name) {
        Map<String, Entry> entries = current.get();
        return entries == null ? null : entries.get(name);
    }

    /** Is the current thread inside of nothing? */
    public boolean isEmpty() {
        return current.get() == null;
    }

    /** The entry that {@code lease} is in; null if the current thread is not inside of it. */
    @Nullable
    Entry find(String name, HeldLease lease) {
        Entry entry = find(name);
        while (entry != null && entry.lease != lease) {
            entry = entry.outer;
        }
        return entry;
    }

    void enter(String name, Entry entry) {
        Map<String, Entry> entries = current.get();
        if (entries == null) {
            entries = new HashMap<>(4);
            current.set(entries);
        }
        entry.outer = entries.put(name, entry);
    }

    void exit(String name, Entry left) {
        Map<String, Entry> entries = current.get();
        if (entries == null) {
            return;
        }
        Entry innermost = entries.get(name);
        if (innermost == left) {
            if (left.outer == null) {
                entries.remove(name);
            } else {
                entries.put(name, left.outer);
            }
        } else {
            unlink(innermost, left);
        }
        if (entries.isEmpty()) {
            current.remove();
        }
    }

    private static void unlink(@Nullable Entry innermost, Entry left) {
        for (Entry entry = innermost; entry != null; entry = entry.outer) {
            if (entry.outer == left) {
                entry.outer = left.outer;
                return;
            }
        }
    }
}
