package io.holdfast.internal;

import io.holdfast.HoldfastListener;
import java.time.Duration;
import java.util.List;

/**
 * What a {@code Holdfast} was built with.
 *
 * @param application shown to people who inspect locks
 * @param handOffs how many leases of one grant this process may use up in a row
 * @param slice for how long it may do so
 * @param warnAfter when a hold is worth a line in the log
 * @param shutdownGrace how long {@code close()} waits for bodies to end
 * @param listeners who is told
 */
public record Settings(
        String application,
        int handOffs,
        Duration slice,
        Duration warnAfter,
        Duration shutdownGrace,
        List<HoldfastListener> listeners) {}
