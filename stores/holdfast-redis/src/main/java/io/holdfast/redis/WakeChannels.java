package io.holdfast.redis;

import io.holdfast.spi.SystemRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Draws the names of pub/sub channels on which this client is woken: {@code holdfast:wake:51aa…}, never the same twice. */
final class WakeChannels {

    /*
     * Every subscription has a channel of its own, drawn when it is made. A process image may be restored more than once (a
     * snapshot of a function or of a virtual machine, CRIU): then each clone has the memory of the same process, and with it the
     * name of its channel. A clone has lost the connections of the original, so it has to subscribe again before it is woken;
     * and if each subscribed to the same name, a hand-off to one of them would be taken by all.
     *
     * The names come from SystemRandom, which draws different numbers in each clone.
     */

    private final String start;
    private final Supplier<String> ids;

    WakeChannels(String keyPrefix) {
        this(keyPrefix, () -> HexFormat.of().toHexDigits(new SystemRandom().nextLong()));
    }

    /** With other ids, for tests. */
    WakeChannels(String keyPrefix, Supplier<String> ids) {
        this.start = keyPrefix + ":wake:";
        this.ids = ids;
    }

    /** A new name. */
    String draw() {
        return start + ids.get();
    }

    /** The name of a channel that no client subscribes to. A claim that is sent with it is told to subscribe first. */
    String none() {
        return start + "none";
    }
}
