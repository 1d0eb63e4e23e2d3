package io.holdfast.internal.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives out blocks of fencing tokens.
 *
 * <p>A block starts at the larger of the last token + 1 and the clock in microseconds; it has a single token while the
 * last one is ahead of the clock. Within one clock tokens strictly grow because blocks never overlap; and because they do
 * not run away from the clock, a new clock that starts after the loss of an old one continues above it (unless the wall
 * clock was set back, or more than a million blocks a second were given out all along).
 */
public final class TokenClock {

    /** The largest block. */
    public static final int LARGEST_BLOCK = 64;

    private final AtomicLong last = new AtomicLong();

    /**
     * Reserves a block.
     *
     * @param first the first token
     * @param size how many
     */
    public record Block(long first, int size) {}

    /** Reserves at most {@code wanted} tokens. */
    public Block reserve(int wanted, long clockMicros) {
        while (true) {
            long seen = last.get();
            int size = seen >= clockMicros ? 1 : Math.min(wanted, LARGEST_BLOCK);
            long first = Math.max(seen + 1, clockMicros);
            if (last.compareAndSet(seen, first + size - 1)) {
                return new Block(first, size);
            }
        }
    }
}
