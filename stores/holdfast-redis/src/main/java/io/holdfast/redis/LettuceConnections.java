package io.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;

/** Closes connections of Lettuce. */
final class LettuceConnections {

    private LettuceConnections() {}

    /** Closes it, unless that was done before: then Lettuce would log a warning. Does not wait. */
    static void close(StatefulConnection<?, ?> connection) {
        if (!isClosed(connection)) {
            var unused = connection.closeAsync();
        }
    }

    /** The same, and waits for it; before the client is shut down, which closes what is still open. */
    static void closeAndWait(StatefulConnection<?, ?> connection) {
        if (!isClosed(connection)) {
            connection.close();
        }
    }

    private static boolean isClosed(StatefulConnection<?, ?> connection) {
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
    }
}
