package io.holdfast.lab;

import java.util.concurrent.TimeoutException;

/** A shop with a dedicated Redis client, whose commands are counted. Closing the shop closes the client. */
record CountedShop(Shop shop, CountedClient redis) implements Shop {

    @Override
    public boolean sell(int apples) throws TimeoutException {
        return shop.sell(apples);
    }

    @Override
    public int left() {
        return shop.left();
    }

    @Override
    public long commands() {
        return redis.sent();
    }

    @Override
    public void close() {
        shop.close();
        redis.close();
    }
}
