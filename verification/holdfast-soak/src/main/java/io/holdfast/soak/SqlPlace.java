package io.holdfast.soak;

import io.holdfast.servers.SqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** An SQL server with the locks and the data. Those who lock come through the network before it, those who write do not. */
final class SqlPlace implements Place {

    private final Store store;
    private final Database database;
    private final SqlServer server;
    private final Network network;
    private final Losses losses = new Losses();

    SqlPlace(Store store, Names names, Database database, SqlServer server) {
        this.store = store;
        this.database = database;
        this.server = server;
        SqlTables.create(server.url(), names);
        // By their names: of session locks, those are requests of somebody that has the lock not yet, or no longer.
        this.network = new Network(server.port(), List.copyOf(names.capacities().keySet()));
    }

    @Override
    public String locks() {
        return server.url(network.port());
    }

    @Override
    public String data() {
        return server.url();
    }

    @Override
    public Losses losses() {
        return losses;
    }

    @Override
    public void cause(Fault fault, Random dice) {
        switch (fault) {
            case PAUSE_SERVER_SHORT -> pause(Length.SHORT, dice);
            case PAUSE_SERVER_LONG -> pause(Length.LONG, dice);
            case RESTART_SERVER -> {
                // H2 loses commits of the last milliseconds when it is killed, which no lock can outlive.
                endingSessions(fault, store == Store.H2 ? server::terminate : server::kill);
                server.restart();
            }
            case KILL_SESSIONS -> killSessions(dice);
            case LOCK_TABLE_SHORT -> lockTable(Length.SHORT, dice);
            case LOCK_TABLE_LONG -> lockTable(Length.LONG, dice);
            default -> endingSessions(fault, () -> network.cause(fault, dice));
        }
    }

    private void pause(Length length, Random dice) {
        server.pause();
        length.pass(dice);
        server.resume();
    }

    /** When it is done, sessions that were there before have ended, if the locks can be lost by it at all. */
    private void endingSessions(Fault fault, Runnable deed) {
        long before = System.nanoTime();
        long since = micros();
        deed.run();
        if (store.losesBy(fault)) {
            losses.ofSessions(before, since, micros(), System.nanoTime());
        }
    }

    /** The clock of the server is that of this machine. */
    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private void lockTable(Length length, Random dice) {
        try (Connection connection = Database.connect(server.url())) {
            database.lock(connection, store.tables().get(0));
            length.pass(dice);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** About every second one, whatever it does. */
    private void killSessions(Random dice) {
        try (Connection connection = Database.connect(server.url())) {
            if (store.losesBy(Fault.KILL_SESSIONS)) {
                // Who holds what is written down in the table: nobody acquires a lock while it is read.
                database.lock(connection, store.tables().get(0));
            }
            List<Long> victims = database.sessions(connection).stream()
                    .map(Database.Session::id)
                    .filter(any -> dice.nextBoolean())
                    .toList();
            long before = System.nanoTime();
            database.kill(connection, victims);
            if (store.losesBy(Fault.KILL_SESSIONS)) {
                lost(connection, victims, before, System.nanoTime());
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void lost(Connection connection, List<Long> victims, long before, long ended) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT session, name, first_token, last_token FROM "
                        + store.tables().get(0) + " WHERE claim IS NOT NULL")) {
            while (rows.next()) {
                if (victims.contains(rows.getLong(1))) {
                    losses.ofSession(rows.getString(2), rows.getLong(3), rows.getLong(4), before, ended);
                }
            }
        }
    }

    @Override
    public void heal() {
        network.heal();
    }

    @Override
    public Map<String, List<FencedWrites.Entry>> written(Names names) {
        return SqlTables.written(server.url(), names);
    }

    @Override
    public List<String> leftovers(Duration patience) {
        return SqlLeftovers.in(store, database, server.url(), patience);
    }

    @Override
    public void close() {
        network.close();
        server.close();
    }

    @Override
    public String toString() {
        return store.word();
    }
}
