package io.holdfast.redis.internal.connection;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The connections to one server, or to the servers of a Cluster: for requests, and for pub/sub messages. Requests of all threads
 * share one connection and are pipelined, so there is no connection pool that could be exhausted.
 */
public interface RedisConnections extends AutoCloseable {

    /** Receives pub/sub messages, and is notified when messages may have been lost. Called on Lettuce's threads. */
    interface Listener {
        /** A pub/sub message has arrived. */
        void onMessage(String message);

        /** The keys of names that claims of this process wait for. */
        Collection<String> waitingKeys();

        /** Messages or a request may have been lost: all waiting claims have to poll. */
        void onMissedMessages();

        /** Messages for these keys may have been lost: claims that wait for them have to poll. */
        void onMissedMessages(Predicate<String> keys);

        /** The pub/sub connection is unresponsive and cannot be replaced at present; the next check tries again. */
        void onPubSubUnavailable(Throwable reason);
    }

    /** The commands of the shared connection for requests. */
    RedisClusterAsyncCommands<String, String> commands();

    /** A dedicated connection to the server that has the key, for scripts that are followed by {@code WAIT}. */
    CompletableFuture<RedisAsyncCommands<String, String>> dedicated(String key);

    /** A dedicated connection to the server that a redirection names. */
    CompletableFuture<RedisAsyncCommands<String, String>> dedicated(Redirection to);

    /** The channel on which this client is notified of the key, preceded by whether it is an ordinary or a sharded one. */
    String wakeupChannel(String key);

    /** Subscribes to the wakeup channel of the key, on a connection that works; also if it seems to be subscribed to already. */
    CompletableFuture<Void> subscribe(String key);

    /** Keys with the same number may be keys of one script. */
    int scriptGroup(String key);

    /** Checks whether the pub/sub connection is half-open, and replaces it if it is. */
    void checkPubSub();

    /** A request was not answered in time: the connection may be half-open. */
    void onRequestTimeout();

    /** A request was refused because the server is no longer the master. */
    void onNotMaster();

    @Override
    void close();
}
