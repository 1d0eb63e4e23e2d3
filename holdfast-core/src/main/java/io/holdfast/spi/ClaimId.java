package io.holdfast.spi;

import io.holdfast.spi.support.SystemRandom;

/**
 * The identity of a claim: unique across processes and for all time, and the only proof of ownership that a store
 * accepts.
 *
 * @param random drawn for each claim, by {@link SystemRandom}: copies of one process image do not make the same claims
 * @param sequence counted by the process, and never used twice by it
 */
public record ClaimId(long random, long sequence) {

    /** A short, fixed form without characters that any store would have to escape: {@code 00c0ffee00c0ffee-2a}. */
    @Override
    public String toString() {
        String head = Long.toHexString(random);
        return "0".repeat(16 - head.length()) + head + '-' + Long.toHexString(sequence);
    }

    /**
     * The id of which {@link #toString()} made the text.
     *
     * @throws NumberFormatException if it is no such text
     */
    public static ClaimId parse(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new NumberFormatException("No claim id: '" + text + "'");
        }
        return new ClaimId(
                Long.parseUnsignedLong(text.substring(0, dash), 16),
                Long.parseUnsignedLong(text.substring(dash + 1), 16));
    }
}
