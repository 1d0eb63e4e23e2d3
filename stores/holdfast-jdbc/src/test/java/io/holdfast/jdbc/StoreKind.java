package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import java.nio.file.Path;

/** The stores that a trap must not catch. */
enum StoreKind {
    POSTGRES_TABLE("INSERT INTO holdfast_lease", "SELECT count(*) FROM holdfast_lease WHERE next_claim IS NOT NULL"),
    POSTGRES_SESSIONS("pg_advisory_lock", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
    MARIADB_TABLE("INSERT INTO holdfast_lease", "SELECT count(*) FROM holdfast_lease WHERE next_claim IS NOT NULL"),
    MARIADB_SESSIONS("GET_LOCK", "SELECT count(*) FROM information_schema.processlist WHERE state = 'User lock'"),
    FILE("INSERT INTO holdfast_lease", "SELECT count(*) FROM holdfast_lease WHERE next_claim IS NOT NULL");

    static final String SQLITE = "jdbc:sqlite:";

    private final String take;
    private final String waiting;

    StoreKind(String take, String waiting) {
        this.take = take;
        this.waiting = waiting;
    }

    JdbcStoreBuilder store(String url) {
        return switch (this) {
            case POSTGRES_TABLE, MARIADB_TABLE ->
                JdbcStore.leaseTable(url).createTables();
            case POSTGRES_SESSIONS, MARIADB_SESSIONS ->
                JdbcStore.sessionLocks(url).createTables();
            case FILE -> JdbcStore.file(Path.of(url.substring(SQLITE.length())));
        };
    }

    Holdfast connect(String url) {
        return Holdfast.builder(store(url)::open).build();
    }

    boolean isTable() {
        return this != POSTGRES_SESSIONS && this != MARIADB_SESSIONS;
    }

    boolean isPostgres() {
        return this == POSTGRES_TABLE || this == POSTGRES_SESSIONS;
    }

    /** What the request that takes a free name has in it. */
    String take() {
        return take;
    }

    /** How many claims wait and have been refused: in tables, those that have waited so long that they are the next. */
    long waiting(Sql sql) {
        return sql.number(waiting);
    }
}
