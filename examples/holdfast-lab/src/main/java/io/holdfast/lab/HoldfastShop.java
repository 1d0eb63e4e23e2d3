package io.holdfast.lab;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;

/** The lock is around the whole transaction: it is released after the commit. */
final class HoldfastShop implements Shop {

    private final Holdfast holdfast;
    private final DistributedLock lock;
    private final AppleStock stock;

    /** Closing the shop closes {@code holdfast}. */
    HoldfastShop(Holdfast holdfast, AppleStock stock) {
        this.holdfast = holdfast;
        this.lock = holdfast.lock(
                "apples", LockOptions.builder().maxWait(Strategy.PATIENCE).build());
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) {
        return lock.call(lease -> stock.transact(transaction -> transaction.take(apples)));
    }

    @Override
    public int left() {
        return stock.left();
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
