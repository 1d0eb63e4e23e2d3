package io.holdfast.monitoring;

/**
 * Receives the events of all locks of a {@link io.holdfast.Holdfast}: for metrics, audit logs and consoles.
 *
 * <p>Every listener has a queue of its own and runs on a thread of its own, apart from the executor of the {@code Holdfast}: a slow
 * listener delays neither locks nor callbacks nor other listeners. It is called for one event at a time; the events of one name come
 * in the order in which this process learned of them. Its queue holds 8,192 events. Further events are dropped, counted, and logged.
 * An exception that it throws is logged and otherwise ignored.
 */
@FunctionalInterface
public interface HoldfastListener {

    /** Something happened. */
    void on(LockEvent event);

    /** So many events were dropped since the last call, because this listener is slower than the events come. */
    default void dropped(long count) {}
}
