package io.holdfast.soak;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * When the server has lost its data. A lock cannot outlive that: whoever had it goes on believing until its next renewal,
 * and meanwhile somebody else may get it. Nothing but that is excused, and never two equal tokens. Thread-safe.
 *
 * <p>When a grant was made can be read from its token: microseconds on the server's clock, which is this machine's.
 */
final class Losses {

    /** A block of tokens goes a little into the future. */
    private static final long BLOCK = 64;

    private final List<Loss> losses = new CopyOnWriteArrayList<>();

    /**
     * Everything that was there is gone.
     *
     * @param nanos a time before it was gone
     * @param micros a time on the server's clock when it was gone, and nothing had been granted since
     */
    private record Loss(long nanos, long micros) {}

    void add(long nanos, long micros) {
        losses.add(new Loss(nanos, micros));
    }

    /** Might the grant of that token have been forgotten by then? */
    boolean forgotten(long token, long now) {
        return losses.stream().anyMatch(loss -> token <= loss.micros + BLOCK && loss.nanos <= now);
    }

    /** Was the data lost between the two grants? */
    boolean parted(long smaller, long larger) {
        return losses.stream().anyMatch(loss -> smaller <= loss.micros + BLOCK && larger >= loss.micros);
    }

    int count() {
        return losses.size();
    }
}
