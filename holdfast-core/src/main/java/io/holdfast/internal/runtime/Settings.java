package io.holdfast.internal.runtime;

import io.holdfast.monitoring.HoldfastListener;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a {@code Holdfast}.
 *
 * @param application shown to people who inspect locks
 * @param handOffLeases how many leases of one grant this process may use in a row
 * @param handOffTime for how long it may do so
 * @param warnAfter a lease that is held for longer is logged
 * @param shutdownGrace how long {@code close()} waits for bodies to end
 * @param listeners receive all events
 */
public record Settings(
        String application,
        int handOffLeases,
        Duration handOffTime,
        Duration warnAfter,
        Duration shutdownGrace,
        List<HoldfastListener> listeners) {}
