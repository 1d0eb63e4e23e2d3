package io.holdfast.lab;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * A way of guarding a stock, by name.
 *
 * @param name as the table shows it
 * @param opening opens a shop on a full stock
 */
record Strategy(String name, Function<AppleStock, Shop> opening) {

    /** What customers are ready to wait for their turn. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    static final Strategy UNGUARDED = new Strategy("no guard", UnguardedShop::new);
    static final Strategy LATE_COMMIT = new Strategy("synchronized, commit after it", LateCommitShop::new);
    static final Strategy LOCK_PER_KEY = new Strategy("home-made lock per key", LockPerKeyShop::new);
    static final Strategy HOLDFAST = new Strategy("Holdfast, memory:", HoldfastShop::new);

    /** All strategies, in the order of the table. */
    static List<Strategy> all() {
        return List.of(UNGUARDED, LATE_COMMIT, LOCK_PER_KEY, HOLDFAST);
    }

    Shop open(AppleStock stock) {
        return opening.apply(stock);
    }
}
