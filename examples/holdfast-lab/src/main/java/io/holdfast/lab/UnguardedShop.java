package io.holdfast.lab;

/** Broken: two customers read the same number, and the later commit undoes the earlier one. */
final class UnguardedShop implements Shop {

    private final AppleStock stock;

    UnguardedShop(AppleStock stock) {
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) {
        return stock.transact(transaction -> transaction.take(apples));
    }

    @Override
    public int left() {
        return stock.left();
    }
}
