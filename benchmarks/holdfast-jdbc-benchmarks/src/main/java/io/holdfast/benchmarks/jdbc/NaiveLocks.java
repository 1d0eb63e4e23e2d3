package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Locks;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The functions of the database that lock until the session ends, called by hand: every thread has its own connection. */
record NaiveLocks(String url, Database database, boolean hasToken) implements Locks {

    static final String TOKENS = "CREATE TABLE tokens (name VARCHAR(64) PRIMARY KEY, token BIGINT NOT NULL)";

    private static final String NEXT = "INSERT INTO tokens VALUES (?, 1) ON ";

    @Override
    public Guard guard(String name) {
        Query query = new Query(url);
        return database == Database.POSTGRESQL
                ? guard(
                        name,
                        query.prepare("SELECT pg_advisory_lock(hashtextextended(?, 0))"),
                        query.prepare("SELECT pg_advisory_unlock(hashtextextended(?, 0))"),
                        query.prepare(NEXT + "CONFLICT (name) DO UPDATE SET token = tokens.token + 1"))
                : guard(
                        name,
                        query.prepare("SELECT GET_LOCK(?, 3600)"),
                        query.prepare("SELECT RELEASE_LOCK(?)"),
                        query.prepare(NEXT + "DUPLICATE KEY UPDATE token = token + 1"));
    }

    private Guard guard(String name, PreparedStatement acquire, PreparedStatement release, PreparedStatement token) {
        try {
            acquire.setString(1, name);
            release.setString(1, name);
            token.setString(1, name);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
        return new FunctionGuard(acquire, release, hasToken ? token : null);
    }

    /** Every guard connects when it is made; this one would keep a connection that nobody uses. */
    @Override
    public void warmUp() {}

    private record FunctionGuard(
            PreparedStatement lock,
            PreparedStatement unlock,
            @Nullable PreparedStatement token) implements Guard {

        @Override
        public void acquire() {
            call(lock);
            if (token != null) {
                try {
                    token.executeUpdate();
                } catch (SQLException failure) {
                    throw new IllegalStateException(failure);
                }
            }
        }

        @Override
        public void release() {
            call(unlock);
        }

        private static void call(PreparedStatement function) {
            try (ResultSet rows = function.executeQuery()) {
                rows.next();
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
}
