package io.holdfast.internal;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/** The random part of the claim ids of this process. Thread-safe. */
final class ProcessId {

    /*
     * A process image may be restored more than once (CRIU, SnapStart, a cloned VM). Copies with the same id would make the same
     * claim ids, and a store would grant both of them one claim with one token.
     *
     * A copy has no connection: it has to connect before it can send. So the id is drawn anew whenever the store has connected.
     * A claim can be made before the store notices that its connection is gone, and is sent after it has connected; for that the
     * id is also drawn anew for the first claim after an interval without a draw. The kernel's random numbers differ in each
     * copy: a restored process reads those of its host, and a cloned VM is reseeded.
     *
     * What was held or waited for when the image was taken has one claim in all copies. No client can tell; see the
     * documentation.
     */
    private static final long LIFETIME = TimeUnit.MILLISECONDS.toNanos(100);

    private final long first;
    private volatile Drawn drawn;

    private record Drawn(long id, long connections, long at) {}

    ProcessId(long now, long connections) {
        this.first = draw();
        this.drawn = new Drawn(first, connections, now);
    }

    /** The id that was drawn first. */
    long first() {
        return first;
    }

    /** The id for a claim that is made at {@code now}, when the store has connected so many times. */
    long current(long now, long connections) {
        Drawn present = drawn;
        if (present.connections != connections || now - present.at > LIFETIME || now - present.at < 0) {
            present = new Drawn(draw(), connections, now);
            drawn = present;
        }
        return present.id;
    }

    /** By a generator that is made for the draw: one that was kept would be part of the image. */
    private static long draw() {
        return new SecureRandom().nextLong();
    }
}
