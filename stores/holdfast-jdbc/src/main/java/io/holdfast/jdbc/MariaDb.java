package io.holdfast.jdbc;

/** MariaDB: as MySQL, but a statement that takes the name also tells what became of the row. */
final class MariaDb extends MySql {

    @Override
    String take() {
        return super.take() + " RETURNING " + columns();
    }

    @Override
    String silence(long seconds) {
        return "idle_transaction_timeout = " + seconds;
    }

    @Override
    boolean takeAnswers() {
        return true;
    }
}
