package io.holdfast.lab;

/**
 * Broken: {@code synchronized} stands inside the transaction, as it does on a method that a transaction proxy wraps. The
 * next customer enters when the block is left, and reads before the commit.
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
