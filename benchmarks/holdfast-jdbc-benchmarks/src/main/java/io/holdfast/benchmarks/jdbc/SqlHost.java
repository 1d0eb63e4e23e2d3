package io.holdfast.benchmarks.jdbc;

import io.holdfast.servers.SqlServer;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** A server. Its own observers use another database than contestants do, and so are easily told from them. */
abstract class SqlHost implements Host {

    private final SqlServer server;
    private final String observers;
    private final String springSchema;
    private final String dataTable;
    private final Query control;

    /**
     * @param observers the database for observers
     * @param springSchema which of Spring's scripts fits
     * @param dataTable what makes the table of the {@link DataRow}
     */
    SqlHost(SqlServer server, String observers, String springSchema, String dataTable) {
        this.server = server;
        this.observers = observers;
        this.springSchema = springSchema;
        this.dataTable = dataTable;
        this.control = observe();
    }

    /** What a contestant has sent, by the books of the server. */
    record Tally(long statements, long transactions) {}

    /** Makes the database anew, without any tables. */
    abstract void recreate(Query observer);

    /** How many connections contestants have. */
    abstract int connections(Query observer);

    /** Prepares for {@link #mark()}; whoever connects from now on is counted. */
    abstract void beginCounting();

    /** Counts from now on. */
    abstract void mark();

    /** What there was since then. */
    abstract Tally counted();

    /** Ends it. */
    abstract void endCounting();

    /** A query for how many bytes the server has written to its log. */
    abstract String logQuery();

    /** Inserts the names with numbers from %1$d to %2$d into the lease table, half of them used now and half two days ago. */
    abstract String insertNames();

    static String insertNames(String hash, String number, String now, String from) {
        return "INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at, ends_at, owner)"
                + " SELECT " + hash + ", 1, NULL, 1, 1, " + now + " - MOD(" + number + ", 2) * 172800000000, 0,"
                + " 'host 4711 checkout' FROM " + from;
    }

    /** A connection to look at the server with. */
    final Query observe() {
        return new Query(server.url().replace("/holdfast?", "/" + observers + "?"));
    }

    final Query control() {
        return control;
    }

    final SqlServer server() {
        return server;
    }

    @Override
    public final String address() {
        return server.url();
    }

    @Override
    public final void clear() {
        recreate(control);
        try (Query query = new Query(address())) {
            ScriptUtils.executeSqlScript(
                    query.connection(),
                    new ClassPathResource("org/springframework/integration/jdbc/schema-" + springSchema + ".sql"));
            query.execute(ShedLocks.TABLE, NaiveLocks.TOKENS, dataTable, DataRow.ROW);
        }
    }

    @Override
    public final long data() {
        try (Query query = new Query(address())) {
            return query.number(DataRow.READ);
        }
    }

    @Override
    public final void close() {
        control.close();
        server.close();
    }
}
