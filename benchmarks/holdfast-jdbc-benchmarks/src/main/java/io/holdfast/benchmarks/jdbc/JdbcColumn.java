package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;

/** What only these tables show. */
final class JdbcColumn {

    static final Column TIMES_SPRING = new Column("× JdbcLockRegistry");
    static final Column TIMES_NAIVE = new Column("× naive");
    static final Column HAND_OFF_OF_NAIVE = new Column("p50 ÷ naive's");
    static final Column STATEMENTS = new Column("statements per lease");
    static final Column TRANSACTIONS = new Column("commits per lease");
    static final Column CONNECTIONS = new Column("connections");
    static final Column CONNECTIONS_OF_NAIVE = new Column("connections ÷ naive's");

    private JdbcColumn() {}
}
