package io.holdfast.lab;

import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Several servers that sell from one stock and share nothing else but where the locks are: customers are sent to them in turn.
 * Each has connections of its own, as if it were a process of its own.
 */
final class ServerGroup implements Shop {

    private static final int SERVERS = 4;

    private final List<Shop> servers;
    private final LongSupplier sent;
    private final Runnable end;
    private final AtomicInteger next = new AtomicInteger();

    /**
     * Opens the servers.
     *
     * @param sent counts what they have sent
     * @param end closes what they share
     */
    ServerGroup(Supplier<Shop> opening, LongSupplier sent, Runnable end) {
        this.servers = Stream.generate(opening).limit(SERVERS).toList();
        this.sent = sent;
        this.end = end;
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
        return sent.getAsLong();
    }

    @Override
    public void close() {
        servers.forEach(Shop::close);
        end.run();
    }
}
