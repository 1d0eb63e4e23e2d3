/**
 * Monitoring of distributed locks: events, who holds and waits, and what this process holds. Metrics, consoles and health checks
 * are built on these types.
 */
@NullMarked
package io.holdfast.monitoring;

import org.jspecify.annotations.NullMarked;
