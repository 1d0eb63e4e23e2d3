package io.holdfast.lab;

import java.util.concurrent.TimeoutException;

/** One stock of apples and one way of guarding it. Customers come on many threads at once. */
interface Shop extends AutoCloseable {

    /**
     * Serves one customer.
     *
     * @return whether the customer got the apples; if not, too few were left
     * @throws TimeoutException if the customer timed out waiting for the lock
     */
    boolean sell(int apples) throws TimeoutException;

    /** The number of apples that are left according to the stock. */
    int left();

    /** The number of commands that were sent to a server to guard the stock; 0 if there is none. */
    default long commands() {
        return 0;
    }

    @Override
    default void close() {}
}
