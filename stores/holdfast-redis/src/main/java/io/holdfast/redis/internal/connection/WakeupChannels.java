package io.holdfast.redis.internal.connection;

import io.holdfast.spi.support.SystemRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Generates names of pub/sub channels on which this client is notified: {@code holdfast:wake:51aa…}, never the same twice. */
public final class WakeupChannels {

    /*
     * Every subscription has another channel, whose name is generated when it is made. A process image may be restored more than
     * once (a snapshot of a function or of a virtual machine, CRIU). Then each clone has the memory of the same process, and with it
     * the name of its channel. A clone has lost the connections of the original, so it has to subscribe again before it is notified.
     * If all clones subscribed to the same channel, each would acquire a lock that was handed over to one of them.
     *
     * The names come from SystemRandom, which generates different numbers in each clone.
     */

    /** Precedes the name of an ordinary channel in a claim. */
    public static final String ORDINARY = "p:";
    /** Precedes the name of a sharded channel, which is bound to a hash slot of a Cluster. */
    public static final String SHARDED = "s:";

    private final String start;
    private final Supplier<String> ids;

    public WakeupChannels(String keyPrefix) {
        this(keyPrefix, () -> HexFormat.of().toHexDigits(new SystemRandom().nextLong()));
    }

    /** With other ids, for tests. */
    public WakeupChannels(String keyPrefix, Supplier<String> ids) {
        this.start = keyPrefix + ":wake:";
        this.ids = ids;
    }

    /** A new name. */
    String newName() {
        return start + ids.get();
    }

    /** The name of a channel that no client subscribes to. The server does not queue a claim that is sent with it. */
    String nameWithoutSubscribers() {
        return start + "none";
    }
}
