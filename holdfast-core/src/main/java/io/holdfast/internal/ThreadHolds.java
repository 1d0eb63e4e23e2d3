package io.holdfast.internal;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases that belong to the current thread, by name: what makes {@code call}, {@code run} and {@code asLock()} re-entrant. */
final class ThreadHolds {

    @SuppressWarnings("ThreadLocalUsage") // one per engine: the same name may be held through two of them
    private final ThreadLocal<@Nullable Map<String, Entry>> current = new ThreadLocal<>();

    /** One name that the thread is inside of. */
    static final class Entry {
        final HeldLease lease;
        /** How often it was entered again and not left, as an exclusive or write lock. */
        int locks;
        /** The same on a read lock. */
        int readLocks;
        /** The last {@code unlock()} gives it back; else the end of the body does. */
        boolean byLock;

        Entry(HeldLease lease) {
            this.lease = lease;
        }
    }

    @Nullable
    Entry find(String name) {
        Map<String, Entry> entries = current.get();
        return entries == null ? null : entries.get(name);
    }

    /** Is the current thread inside of nothing? */
    boolean isEmpty() {
        return current.get() == null;
    }

    void enter(String name, Entry entry) {
        Map<String, Entry> entries = current.get();
        if (entries == null) {
            entries = new HashMap<>(4);
            current.set(entries);
        }
        entries.put(name, entry);
    }

    void exit(String name) {
        Map<String, Entry> entries = current.get();
        if (entries != null) {
            entries.remove(name);
            if (entries.isEmpty()) {
                current.remove();
            }
        }
    }
}
