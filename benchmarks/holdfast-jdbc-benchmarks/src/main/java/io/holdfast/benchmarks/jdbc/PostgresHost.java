package io.holdfast.benchmarks.jdbc;

import io.holdfast.servers.PostgresServer;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL. What was sent to it stands in its log, each line with the number of its transaction. */
final class PostgresHost extends SqlHost {

    /** As {@code 5/1234 LOG:  execute S_1: INSERT INTO}. What sets up a connection belongs to no pass. */
    private static final Pattern SENT =
            Pattern.compile("^([0-9]+/[0-9]+) LOG:  (?:statement|execute [^:]*): (?! *SET )", Pattern.MULTILINE);

    private int mark;

    PostgresHost() {
        super(start(), "observers", "postgresql", DataRow.POSTGRES_TABLE);
    }

    private static PostgresServer start() {
        PostgresServer server = PostgresServer.start("log_line_prefix = '%v '");
        try (Query query = new Query(server.url())) {
            query.execute("CREATE DATABASE observers");
        }
        return server;
    }

    @Override
    void recreate(Query observer) {
        observer.execute("DROP DATABASE IF EXISTS holdfast WITH (FORCE)", "CREATE DATABASE holdfast", "CHECKPOINT");
    }

    @Override
    int connections(Query observer) {
        return (int) observer.number("SELECT count(*) FROM pg_stat_activity WHERE datname = 'holdfast'"
                + " AND backend_type = 'client backend'");
    }

    @Override
    void beginCounting() {
        control().execute("ALTER ROLE holdfast SET log_statement = 'all'");
    }

    @Override
    void mark() {
        mark = server().log().length();
    }

    @Override
    Tally counted() {
        return read(server().log().substring(mark));
    }

    static Tally read(String log) {
        Set<String> transactions = new HashSet<>();
        long statements = 0;
        for (Matcher sent = SENT.matcher(log); sent.find(); ) {
            statements++;
            transactions.add(sent.group(1));
        }
        return new Tally(statements, transactions.size());
    }

    @Override
    String logQuery() {
        return "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')";
    }

    @Override
    String insertNames() {
        return insertNames(
                "'order:' || lpad(i::text, 9, '0')",
                "i",
                "(extract(epoch FROM now()) * 1000000)::bigint",
                "generate_series(%1$d::bigint, %2$d) i");
    }

    @Override
    void endCounting() {
        control().execute("ALTER ROLE holdfast RESET log_statement");
    }
}
