package io.holdfast.lab;

import io.holdfast.servers.PostgresServer;
import java.util.regex.Pattern;

/** A PostgreSQL that logs every statement that it receives, so that they can be counted. */
final class CountedDatabase implements AutoCloseable {

    private static final Pattern STATEMENT = Pattern.compile("LOG: +(statement|execute)");

    private final PostgresServer server;

    private CountedDatabase(PostgresServer server) {
        this.server = server;
    }

    static CountedDatabase start() {
        return new CountedDatabase(PostgresServer.start("log_statement = 'all'"));
    }

    String url() {
        return server.url();
    }

    long sent() {
        return STATEMENT.matcher(server.log()).results().count();
    }

    @Override
    public void close() {
        server.close();
    }
}
