package io.holdfast.soak;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** A planted bug: the data takes every write, whatever its token. */
final class UnfencedData implements Data {

    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    UnfencedData(String url) {
        this.client = RedisClient.create(url);
        this.commands = client.connect().sync();
    }

    @Override
    public long look(String name, long token) {
        return commands.llen(name);
    }

    @Override
    public boolean append(String name, FencedWrites.Entry entry) {
        return commands.rpush(name, entry.text()) > 0;
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
}
