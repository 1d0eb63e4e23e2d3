package io.holdfast.lab;

/**
 * Broken: {@code synchronized} is inside the transaction, as it is on a method that a transaction proxy wraps. The
 * monitor is released before the commit, so the next customer reads the old number.
 */
final class LateCommitShop implements Shop {

    private final Object monitor = new Object();
    private final AppleStock stock;

    LateCommitShop(AppleStock stock) {
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) {
        return stock.transact(transaction -> {
            synchronized (monitor) {
                return transaction.take(apples);
            }
        });
    }

    @Override
    public int left() {
        return stock.left();
    }
}
