package io.holdfast.redis.internal.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;

/** Closes connections of Lettuce. Lettuce would log a warning if one is closed twice. */
final class LettuceConnections {

    private LettuceConnections() {}

    /** Closes it asynchronously, unless it is closed already. */
    static void close(StatefulConnection<?, ?> connection) {
        if (!isClosed(connection)) {
            var unused = connection.closeAsync();
        }
    }

    /** Closes it and waits, unless it is closed already; before the client is shut down, which closes what is still open. */
    static void closeAndWait(StatefulConnection<?, ?> connection) {
        if (!isClosed(connection)) {
            connection.close();
        }
    }

    private static boolean isClosed(StatefulConnection<?, ?> connection) {
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
    }
}
