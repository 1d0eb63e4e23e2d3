package io.holdfast.jdbc;

import io.holdfast.testkit.Eventually;
import java.sql.SQLException;

/** How many statements a server has executed for its clients, as the server counts. */
final class StatementCount {

    private static final String POSTGRES =
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    private static final String POSTGRES_CLIENTS =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
    private static final String MARIADB =
            "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Questions'";

    private StatementCount() {}

    /** To be read when the clients are disconnected: PostgreSQL counts the statements of a session when it ends. */
    static long of(Servers servers, StoreKind kind) {
        return of(kind, servers.url(kind));
    }

    static long of(StoreKind kind, String url) {
        try (Sql sql = Sql.at(url)) {
            if (!kind.isPostgres()) {
                return sql.number(MARIADB);
            }
            // One transaction, for each counts as a statement.
            sql.connection().setAutoCommit(false);
            Eventually.holds("all other sessions have ended", () -> {
                sql.number("SELECT 1 FROM pg_stat_clear_snapshot()");
                return sql.number(POSTGRES_CLIENTS) == 1;
            });
            sql.number("SELECT 1 FROM pg_stat_clear_snapshot()");
            return sql.number(POSTGRES);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
