package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Arena;
import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Entrant;
import io.holdfast.benchmarks.kit.FailedRun;
import io.holdfast.benchmarks.kit.Forks;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.Passes;
import io.holdfast.benchmarks.kit.Request;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Task;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One server for each database that a section asks for. */
final class JdbcArena extends Arena {

    /** Passes for which it is counted what is sent. */
    private static final int COUNTED = 300;

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Map<Database, Host> hosts = new EnumMap<>(Database.class);

    /** Those that the next measurement is about. */
    private final Set<Database> wanted = EnumSet.noneOf(Database.class);

    private @Nullable ConnectionWatch watch;

    JdbcArena(Request request, Predicate<Entrant> present, Consumer<String> progress) {
        super(request, present, progress);
    }

    /** As the row measures itself, and writes down how many connections it has for locks besides those for other things. */
    Optional<Passes> measureConnections(CrowdRow row, Round round, int others) {
        Database database = database(row.entrant());
        try (ConnectionWatch begun = new ConnectionWatch((SqlHost) host(database))) {
            watch = begun;
            Optional<Passes> passes = row.measure(this, round);
            passes.ifPresent(measured -> round.put(row.label(), JdbcColumn.CONNECTIONS, begun.most() - others));
            return passes;
        } finally {
            watch = null;
        }
    }

    /** Counts what is sent, in a run of its own, which may be slowed down by that. */
    void countSent(Contestant contestant, Round round) {
        String label = contestant.label();
        SqlHost host = host(contestant);
        progress("counting: " + label);
        host.beginCounting();
        try (Forks forks =
                start(Jdk.current(), START, List.of(new CountedTask(addressOf(contestant), contestant, COUNTED)))) {
            host.mark();
            forks.go();
            forks.answers(START.plus(GRACE));
            SqlHost.Tally tally = host.counted();
            round.put(label, JdbcColumn.STATEMENTS, (double) tally.statements() / COUNTED);
            round.put(label, JdbcColumn.TRANSACTIONS, (double) tally.transactions() / COUNTED);
        } catch (FailedRun failed) {
            round.note(label + ", counting: " + failed.reason());
        } finally {
            host.endCounting();
        }
    }

    /** As above, but for as many passes as the task says that it has made. */
    void countPasses(Contestant contestant, String label, ProcessesTask task, Round round) {
        SqlHost host = host(contestant);
        progress("round " + round.number() + ": " + label);
        host.beginCounting();
        try (Forks forks = start(Jdk.current(), START, List.of(task))) {
            host.mark();
            forks.go();
            double passes = forks.answers(task.window().plus(GRACE)).get(0).number("passes");
            SqlHost.Tally tally = host.counted();
            round.put(label, Column.RATE, passes / (task.window().toMillis() / 1e3));
            round.put(label, JdbcColumn.STATEMENTS, tally.statements() / passes);
            round.put(label, JdbcColumn.TRANSACTIONS, tally.transactions() / passes);
        } catch (FailedRun failed) {
            round.note(label + ": " + failed.reason());
        } finally {
            host.endCounting();
        }
    }

    /** The answer of a task in a JVM of its own; empty, with a note, if it failed. */
    Optional<Answer> runAlone(String label, Task task, Round round) {
        progress("round " + round.number() + ": " + label);
        try {
            return Optional.of(run(Jdk.current(), LONGEST, List.of(task)).get(0));
        } catch (FailedRun failed) {
            round.note(label + ": " + failed.reason());
            return Optional.empty();
        }
    }

    SqlHost host(Contestant contestant) {
        return (SqlHost) host(contestant.database());
    }

    /** Compares all contestants with those of one kind on the same server. */
    static void compare(Round round, Column column, Kind reference, Column quotient) {
        compare(round, column, reference, quotient, row -> true);
    }

    /** As above, but only in rows like these. */
    static void compare(Round round, Column column, Kind reference, Column quotient, Predicate<String> like) {
        for (Database database : Database.SERVERS) {
            round.divide(
                    column,
                    database.with(reference).label(),
                    quotient,
                    row -> row.startsWith(database.prefix()) && like.test(row));
        }
    }

    @Override
    protected Forks start(Jdk jdk, Duration limit, List<? extends Task> tasks) throws FailedRun {
        Forks forks = super.start(jdk, limit, tasks);
        ConnectionWatch running = watch;
        if (running != null) {
            running.begin();
        }
        return forks;
    }

    @Override
    protected void clear() {
        wanted.forEach(database -> host(database).clear());
        wanted.clear();
    }

    @Override
    public String addressOf(Entrant entrant) {
        wanted.add(database(entrant));
        return host(database(entrant)).address();
    }

    @Override
    public long data(Entrant entrant) {
        return host(database(entrant)).data();
    }

    @Override
    public String circumstances() {
        return String.format(Locale.ROOT, ", %.2f ms to reach the disk", Disk.medianMillis());
    }

    private Host host(Database database) {
        return hosts.computeIfAbsent(database, Database::start);
    }

    private static Database database(Entrant entrant) {
        return ((Contestant) entrant).database();
    }

    @Override
    public void close() {
        hosts.values().forEach(Host::close);
    }
}
