package io.holdfast.benchmarks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Things by name that exist while somebody uses them. Finding a thing and counting its user are one atomic step, as are
 * leaving it and forgetting it, so two users of a name at one time always share one thing. Thread-safe.
 */
final class CountedMap<T> {

    private final ConcurrentMap<String, Entry<T>> entries = new ConcurrentHashMap<>();
    private final BiFunction<String, Entry<T>, Entry<T>> entering;

    CountedMap(Supplier<T> maker) {
        this.entering = (name, present) -> {
            Entry<T> entry = present == null ? new Entry<>(maker.get()) : present;
            entry.users++;
            return entry;
        };
    }

    /** The thing of that name; {@link #leave} must follow. */
    T enter(String name) {
        return entries.compute(name, entering).thing;
    }

    /** Forgets the thing if nobody else uses it. */
    void leave(String name) {
        entries.computeIfPresent(name, (same, entry) -> --entry.users == 0 ? null : entry);
    }

    int size() {
        return entries.size();
    }

    private static final class Entry<T> {

        private final T thing;

        /** Changed inside {@code compute} only, which lets in one thread at a time per name. */
        private int users;

        private Entry(T thing) {
            this.thing = thing;
        }
    }
}
