package io.holdfast.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** The way to the server, or to the servers of a cluster. One shared connection pipelines; there is no pool to run dry. */
interface Link extends AutoCloseable {

    /** Who is told what comes in. Called on the driver's threads. */
    interface Listener {
        /** A message has come. */
        void heard(String message);

        /** The keys of which a message may come. */
        Collection<String> awaited();

        /** Messages may have been missed, or a request may have been lost: ask again. */
        void resumed();

        /** Messages for keys of that group may have been missed: claims that wait for them are sent again. */
        void resumed(int group);

        /** The connection for messages is silent, and there is no other for now; the next check is another try. */
        void deaf(Throwable reason);
    }

    /** Where requests go. */
    RedisClusterAsyncCommands<String, String> commands();

    /** A dedicated connection to the server that has the key, for scripts that are followed by {@code WAIT}. */
    CompletableFuture<RedisAsyncCommands<String, String>> dedicated(String key);

    /** A dedicated connection to the server that a redirection names. */
    CompletableFuture<RedisAsyncCommands<String, String>> dedicated(Redirection to);

    /** Where this client hears of the key, with {@code p:} for an ordinary channel and {@code s:} for a sharded one. */
    String channel(String key);

    /** Sees to it that the channel of the key is listened to, on a connection that works; even if it seems to be. */
    CompletableFuture<Void> listen(String key);

    /** Keys with the same number may go into one script. */
    int group(String key);

    /** Looks whether the connection for messages is alive, and replaces it if it is not. */
    void checkHearing();

    /** A request was not answered in time: the connection may be half open. */
    void silent();

    /** A request was refused because the server is not the master any more. */
    void demoted();

    @Override
    void close();
}
