package io.holdfast.lab;

import java.util.concurrent.TimeoutException;

/** Broken: the lock is around the whole transaction, but it is a {@link LockPerKey}. */
final class LockPerKeyShop implements Shop {

    private final LockPerKey locks = new LockPerKey();
    private final AppleStock stock;

    LockPerKeyShop(AppleStock stock) {
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) throws TimeoutException {
        return locks.call("apples", Strategy.PATIENCE, () -> stock.transact(transaction -> transaction.take(apples)));
    }

    @Override
    public int left() {
        return stock.left();
    }
}
