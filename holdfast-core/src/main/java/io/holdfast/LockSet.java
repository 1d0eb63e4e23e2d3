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
 * again, alone or in a set. A set of which the thread holds only a part is refused with {@link SelfDeadlockException}: to acquire the
 * rest would not be in the order of the names. The {@code acquire} methods are not re-entrant.
 *
 * <p>If one of the locks is lost while another is waited for, the acquisition fails with {@link LeaseLostException}, and none is held.
 */
public interface LockSet extends Acquirable<LeaseSet> {

    /** The names, each once, in the order in which they are acquired. */
    List<String> names();
}
