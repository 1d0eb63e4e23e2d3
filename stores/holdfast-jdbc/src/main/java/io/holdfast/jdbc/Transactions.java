package io.holdfast.jdbc;

import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Whether a thread is inside a transaction, as far as Spring knows; without Spring, nobody knows. */
final class Transactions {

    private static final boolean SPRING = isPresent();

    private Transactions() {}

    /** Is the calling thread inside a transaction on a connection of this pool? */
    static boolean isInside(DataSource dataSource) {
        return SPRING && BySpring.isInside(dataSource);
    }

    private static boolean isPresent() {
        try {
            Class.forName(
                    "org.springframework.transaction.support.TransactionSynchronizationManager",
                    false,
                    Transactions.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException without) {
            return false;
        }
    }

    /** A class of its own, so that it is loaded only where there is Spring. */
    private static final class BySpring {

        static boolean isInside(DataSource dataSource) {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.hasResource(dataSource);
        }
    }
}
