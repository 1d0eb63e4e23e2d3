package io.holdfast.tck;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Makes times comparable that several processes of one machine have read.
 *
 * <p>On Linux, {@link System#nanoTime()} reads {@code CLOCK_MONOTONIC}, which is one clock for all processes, so nothing has
 * to be done. Elsewhere it may have another origin in each process. There, every process adds what its wall clock is ahead of
 * it, and all times are widened by a margin for the grain of the wall clock and for its corrections: calls become longer and
 * beliefs shorter. So a correct history stays correct, but a violation that is shorter than the margin goes unseen.
 *
 * @param offset what to add to the monotonic clock of this process, in nanoseconds
 * @param margin how far the sum may be off, in nanoseconds
 */
record CommonClock(long offset, long margin) {

    private static final Duration MARGIN = Duration.ofMillis(20);

    static CommonClock ofThisProcess() {
        if (System.getProperty("os.name", "").startsWith("Linux")) {
            return new CommonClock(0, 0);
        }
        long wall = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
        return new CommonClock(wall - System.nanoTime(), MARGIN.toNanos());
    }

    Operation align(Operation operation) {
        return operation.at(
                operation.called() + offset - margin,
                operation.returned() == Operation.NEVER ? Operation.NEVER : operation.returned() + offset + margin);
    }

    /** Empty if nothing is left of it. */
    Optional<Span> align(Span span) {
        long from = span.from() + offset + margin;
        long to = span.to() + offset - margin;
        return to < from ? Optional.empty() : Optional.of(new Span(span.name(), span.token(), span.holder(), from, to));
    }
}
