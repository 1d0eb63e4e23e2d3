package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import java.nio.file.Path;

/** The stores that are tested for each trap. */
enum StoreKind {
    POSTGRES_TABLE,
    POSTGRES_SESSIONS,
    MARIADB_TABLE,
    MARIADB_SESSIONS,
    FILE;

    static final String SQLITE = "jdbc:sqlite:";

    JdbcStoreBuilder store(String url) {
        return switch (this) {
            case POSTGRES_TABLE, MARIADB_TABLE -> JdbcStore.leaseTable(url).createTables();
            case POSTGRES_SESSIONS, MARIADB_SESSIONS ->
                JdbcStore.sessionLocks(url).createTables();
            case FILE -> JdbcStore.file(Path.of(url.substring(SQLITE.length())));
        };
    }

    Holdfast connect(String url) {
        return Holdfast.builder(store(url)).build();
    }

    boolean isTable() {
        return this != POSTGRES_SESSIONS && this != MARIADB_SESSIONS;
    }

    boolean isPostgres() {
        return this == POSTGRES_TABLE || this == POSTGRES_SESSIONS;
    }

    /** A part of the statement that acquires a free name. */
    String acquireStatement() {
        return switch (this) {
            case POSTGRES_TABLE, MARIADB_TABLE -> "holdfast_lease (name, capacity, claim";
            case FILE -> "INSERT INTO holdfast_lease";
            case POSTGRES_SESSIONS -> "pg_try_advisory_lock";
            case MARIADB_SESSIONS -> "GET_LOCK";
        };
    }

    /** How many claims wait and have been refused: in tables, those that are queued or have reserved the name. */
    long waiting(Sql sql) {
        return sql.number("SELECT count(*) FROM " + waiters());
    }

    /** A session that waits. */
    long waiter(Sql sql) {
        return sql.number("SELECT " + (isPostgres() ? "pid" : "id") + " FROM " + waiters());
    }

    private String waiters() {
        return switch (this) {
            case POSTGRES_TABLE -> "holdfast_lease WHERE queue <> ''";
            case MARIADB_TABLE, FILE -> "holdfast_lease WHERE next_claim IS NOT NULL";
            case POSTGRES_SESSIONS -> "pg_locks WHERE locktype = 'advisory' AND NOT granted";
            case MARIADB_SESSIONS -> "information_schema.processlist WHERE state = 'User lock'";
        };
    }

    /** Ends a session of the server. */
    void kill(Sql sql, long session) {
        if (isPostgres()) {
            sql.number("SELECT pg_terminate_backend(?, 10000)::int", (int) session);
        } else {
            sql.update("KILL " + session);
        }
    }
}
