package io.holdfast.benchmarks.jdbc;

import java.util.List;

/** Where locks are kept. */
enum Database {
    POSTGRESQL("PostgreSQL"),
    MARIADB("MariaDB"),
    FILE("file"),
    /** None at all: what is locked is known to one JVM. */
    MEMORY("memory");

    /** Those that are a process of their own. */
    static final List<Database> SERVERS = List.of(POSTGRESQL, MARIADB);

    private final String label;

    Database(String label) {
        this.label = label;
    }

    Contestant with(Kind kind) {
        return new Contestant(this, kind);
    }

    /** With what the rows of all contestants on it begin. */
    String prefix() {
        return label + ": ";
    }

    Host start() {
        return switch (this) {
            case POSTGRESQL -> new PostgresHost();
            case MARIADB -> new MariaDbHost();
            case FILE -> new FileHost();
            case MEMORY -> new MemoryHost();
        };
    }
}
