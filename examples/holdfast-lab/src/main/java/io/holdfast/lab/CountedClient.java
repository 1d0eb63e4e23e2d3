package io.holdfast.lab;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** A Redis client that counts the commands which it sends. */
final class CountedClient implements AutoCloseable {

    private final LongAdder sent = new LongAdder();
    private final RedisClient client;

    CountedClient(String url) {
        RedisURI uri = RedisURI.create(url);
        uri.setTimeout(Strategy.PATIENCE);
        client = RedisClient.create(uri);
        client.addListener(new CommandListener() {
            @Override
            public void commandStarted(CommandStartedEvent event) {
                sent.increment();
            }
        });
    }

    RedisClient client() {
        return client;
    }

    long sent() {
        return sent.sum();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
}
