package io.holdfast.benchmarks.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.benchmarks.kit.Entrant;
import io.holdfast.benchmarks.kit.HoldfastLocks;
import io.holdfast.benchmarks.kit.Locks;
import io.holdfast.benchmarks.kit.NoLock;
import io.holdfast.jdbc.JdbcStore;
import java.time.Duration;
import java.util.List;

/** Everything that is measured. */
record Contestant(Database database, Kind kind) implements Entrant {

    /** These kinds on both servers. */
    static List<Contestant> onServers(Kind... kinds) {
        return Database.SERVERS.stream()
                .flatMap(database -> List.of(kinds).stream().map(database::with))
                .toList();
    }

    @Override
    public String label() {
        return database.prefix() + kind.label();
    }

    @Override
    public boolean isEarlier() {
        return kind == Kind.EARLIER_TABLE || kind == Kind.EARLIER_SESSIONS;
    }

    @Override
    public Locks open(String address) {
        return switch (kind) {
            case LEASE_TABLE, EARLIER_TABLE, STRICT, SESSION_LOCKS, EARLIER_SESSIONS, IN_JVM ->
                new HoldfastLocks(holdfast(address));
            case SPRING -> new SpringLocks(address);
            case SHEDLOCK -> new ShedLocks(address);
            case NAIVE, NAIVE_TOKEN -> new NaiveLocks(address, database, kind == Kind.NAIVE_TOKEN);
            case NO_LOCK -> new NoLock();
        };
    }

    /** If it is Holdfast. */
    Holdfast.Builder holdfast(String address) {
        return switch (kind) {
            case LEASE_TABLE, EARLIER_TABLE -> leaseTable(address);
            case STRICT -> leaseTable(address).localHandOff(1, Duration.ZERO);
            case SESSION_LOCKS, EARLIER_SESSIONS ->
                Holdfast.builder(JdbcStore.sessionLocks(address).createTables());
            case IN_JVM -> Holdfast.builder(address);
            default -> throw new IllegalStateException(label() + " is not Holdfast");
        };
    }

    private Holdfast.Builder leaseTable(String address) {
        return database == Database.FILE
                ? Holdfast.builder(address)
                : Holdfast.builder(JdbcStore.leaseTable(address).createTables());
    }
}
