package io.holdfast.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;

/** A number on the server that is read and written in two steps, over one plain connection that ends with the JVM. */
final class DataKey {

    static final String NAME = "data";

    private final StatefulRedisConnection<String, String> connection;

    DataKey(int port) {
        connection = RedisClient.create(RedisURI.create("127.0.0.1", port)).connect();
    }

    void increment() {
        connection.sync().set(NAME, Long.toString(value() + 1));
    }

    long value() {
        String value = connection.sync().get(NAME);
        return value == null ? 0 : Long.parseLong(value);
    }
}
