package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.SqlServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** A PostgreSQL, a MariaDB and a file, for as long as a test lasts. */
final class Servers implements AutoCloseable {

    private static final String FILE = "locks.db";

    private final SqlServer postgres;
    private final SqlServer mariadb;
    private final Path folder;

    private Servers(SqlServer postgres, SqlServer mariadb, Path folder) {
        this.postgres = postgres;
        this.mariadb = mariadb;
        this.folder = folder;
    }

    static Servers start() {
        CompletableFuture<SqlServer> other = CompletableFuture.supplyAsync(MariaDbServer::start);
        SqlServer postgres = PostgresServer.start();
        try {
            return new Servers(postgres, other.join(), Files.createTempDirectory("holdfast-jdbc"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    SqlServer of(StoreKind kind) {
        return switch (kind) {
            case POSTGRES_TABLE, POSTGRES_SESSIONS -> postgres;
            case MARIADB_TABLE, MARIADB_SESSIONS -> mariadb;
            case FILE -> throw new IllegalArgumentException("A file has no server.");
        };
    }

    String url(StoreKind kind) {
        return kind == StoreKind.FILE ? StoreKind.SQLITE + folder.resolve(FILE) : of(kind).url();
    }

    Holdfast connect(StoreKind kind) {
        return kind.connect(url(kind));
    }

    Sql sql(StoreKind kind) {
        return Sql.at(url(kind));
    }

    @Override
    public void close() {
        postgres.close();
        mariadb.close();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
