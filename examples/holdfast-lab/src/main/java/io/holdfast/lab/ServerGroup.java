package io.holdfast.lab;

import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Several servers that sell from one stock and share nothing else but a Redis: customers are sent to them in turn. Each has
 * connections of its own, as if it were a process of its own.
 */
final class ServerGroup implements Shop {

    private static final int SERVERS = 4;

    private final CountedClient redis;
    private final List<Shop> servers;
    private final AtomicInteger next = new AtomicInteger();

    ServerGroup(String redisUrl, Function<CountedClient, Shop> opening) {
        redis = new CountedClient(redisUrl);
        servers = Stream.generate(() -> opening.apply(redis)).limit(SERVERS).toList();
    }

    @Override
    public boolean sell(int apples) throws TimeoutException {
        return servers.get(Math.floorMod(next.getAndIncrement(), SERVERS)).sell(apples);
    }

    @Override
    public int left() {
        return servers.get(0).left();
    }

    @Override
    public long commands() {
        return redis.sent();
    }

    @Override
    public void close() {
        servers.forEach(Shop::close);
        redis.close();
    }
}
