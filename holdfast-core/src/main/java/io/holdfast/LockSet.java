package io.holdfast;

import java.util.List;

/**
 * Several exclusive locks that are acquired together: all of them or none, within one deadline. Every process acquires them in the
 * order of their names, so sets that overlap do not deadlock, however the names were given. A name that was given twice counts
 * once. Thread-safe.
 *
 * <pre>{@code
 * holdfast.lockSet("account:7", "account:42").run(both ->
 *         transfer(both.lease("account:7").token(), both.lease("account:42").token()));
 * }</pre>
 *
 * <p>{@code call}, {@code run}, {@code tryRun} and {@code tryCall} are re-entrant: inside of them, a lock of the set may be entered
 * again, alone or in a set. A name that the thread holds already by an outer {@code call}, {@code run} or {@code asLock()} is
 * entered again as well; the others are acquired. That order is not the order of names, so two threads that do so with overlapping
 * names may deadlock until their deadlines. The {@code acquire} methods are not re-entrant.
 */
public interface LockSet extends Acquirable<LeaseSet> {

    /** The names, each once, in the order in which they are acquired. */
    List<String> names();
}
