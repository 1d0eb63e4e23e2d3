package io.holdfast.servers;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link TcpProxy}, with faults of its own beside those of the proxy. Equal if it is the same one. */
public final class ProxiedConnection {

    private final Link link;

    ProxiedConnection(Link link) {
        this.link = Objects.requireNonNull(link);
    }

    /** Makes bytes take this much longer in one direction; zero ends it. */
    public void delay(Direction direction, Duration delay) {
        link.lane(direction).delay(delay);
    }

    /** Silently holds back all bytes, and the end of the connection, in one direction: it is half open then. */
    public void stall(Direction direction) {
        link.lane(direction).stall();
    }

    /** Ends a stall in one direction: what was held back is delivered now. */
    public void flow(Direction direction) {
        link.lane(direction).flow();
    }

    /** Resets it, on both sides, and drops what is under way. */
    public void cut() {
        link.reset();
    }

    /** How many bytes were passed on. */
    public long bytes(Direction direction) {
        return link.lane(direction).bytes();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProxiedConnection same && link == same.link;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(link);
    }
}
