package io.holdfast.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/** Connections to a file of SQLite that no other copy of SQLite in this JVM uses. */
final class SqliteSource implements Source {

    private final Source connections;
    private final SqliteFile file;
    private final SqliteUse use;

    private SqliteSource(Source connections, SqliteFile file, SqliteUse use) {
        this.connections = connections;
        this.file = file;
        this.use = use;
    }

    /** Fails if locks in that file would not work, before it is opened. */
    static SqliteSource of(Source connections, Path path, Class<?> driver) throws SQLException {
        synchronized (SqliteUse.JVM) {
            SqliteFile file = SqliteFile.at(path);
            SqliteUse use = new SqliteUse(path, file.key(), driver);
            use.record();
            return new SqliteSource(connections, file, use);
        }
    }

    @Override
    public String name() {
        return connections.name();
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        use.record();
        file.check();
        try {
            return connections.open(timeout);
        } catch (SQLException failure) {
            throw new Sqlite().explained(failure);
        }
    }

    @Override
    public boolean hasOwnSessions() {
        return connections.hasOwnSessions();
    }

    @Override
    public void close() {
        use.close();
    }
}
