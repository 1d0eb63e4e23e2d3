package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Locks;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The functions of the database that lock until the session ends, called by hand: every thread has its own connection. */
record NaiveLocks(String url, Database database) implements Locks {

    @Override
    public Guard guard(String name) {
        Query query = new Query(url);
        return database == Database.POSTGRESQL
                ? guard(
                        name,
                        query.prepare("SELECT pg_advisory_lock(hashtextextended(?, 0))"),
                        query.prepare("SELECT pg_advisory_unlock(hashtextextended(?, 0))"))
                : guard(name, query.prepare("SELECT GET_LOCK(?, 3600)"), query.prepare("SELECT RELEASE_LOCK(?)"));
    }

    private static Guard guard(String name, PreparedStatement acquire, PreparedStatement release) {
        try {
            acquire.setString(1, name);
            release.setString(1, name);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
        return new FunctionGuard(acquire, release);
    }

    /** Every guard connects when it is made; this one would keep a connection that nobody uses. */
    @Override
    public void warmUp() {}

    private record FunctionGuard(PreparedStatement lock, PreparedStatement unlock) implements Guard {

        @Override
        public void acquire() {
            call(lock);
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
