package io.holdfast.spi;

import java.util.concurrent.Executor;
import java.util.function.DoubleSupplier;

/**
 * What a store may use instead of clocks and threads of its own.
 *
 * @param ticker the time that the moments in {@link Grant}s are taken from
 * @param scheduler for short tasks that must run later
 * @param executor for work that may block or call user code
 * @param random for jitter: numbers from 0 (inclusive) to 1 (exclusive)
 */
public record Environment(Ticker ticker, Scheduler scheduler, Executor executor, DoubleSupplier random) {}
