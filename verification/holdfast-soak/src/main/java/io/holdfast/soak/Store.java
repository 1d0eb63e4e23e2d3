package io.holdfast.soak;

import static io.holdfast.soak.Fault.CUT_ALL_CONNECTIONS;
import static io.holdfast.soak.Fault.FLUSHALL;
import static io.holdfast.soak.Fault.KILL_A_PROCESS;
import static io.holdfast.soak.Fault.KILL_PUBSUB_CONNECTIONS;
import static io.holdfast.soak.Fault.KILL_SESSIONS;
import static io.holdfast.soak.Fault.LOCK_TABLE_LONG;
import static io.holdfast.soak.Fault.LOCK_TABLE_SHORT;
import static io.holdfast.soak.Fault.PAUSE_A_PROCESS;
import static io.holdfast.soak.Fault.REFUSE_CONNECTIONS;
import static io.holdfast.soak.Fault.RESTART_SERVER;
import static io.holdfast.soak.Fault.SCRIPT_FLUSH;
import static io.holdfast.soak.Fault.SWALLOW_CONNECTIONS;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.JdbcStore;
import io.holdfast.redis.RedisStore;
import io.holdfast.servers.H2Server;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.StoreFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What is soaked: on what the locks are, as what they can be held, and what can happen to them. */
enum Store {
    REDIS,
    POSTGRESQL,
    MARIADB,
    H2,
    FILE,
    POSTGRESQL_SESSIONS,
    MARIADB_SESSIONS;

    /** Answers later than the shortest lease are of no use. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** What {@code --on} takes. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Store of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--on takes one of " + words() + ": " + word));
    }

    static String words() {
        return Arrays.stream(values()).map(Store::word).collect(Collectors.joining(", "));
    }

    Names names(String prefix) {
        return new Names(prefix, roles());
    }

    /** As what its locks can be held. */
    Set<Role> roles() {
        return switch (this) {
            case REDIS, POSTGRESQL, MARIADB, H2, FILE -> EnumSet.allOf(Role.class);
            case POSTGRESQL_SESSIONS -> EnumSet.complementOf(EnumSet.of(Role.PERMITS));
            case MARIADB_SESSIONS -> EnumSet.of(Role.OWNER, Role.MEMBER);
        };
    }

    /** What can happen to it. */
    Set<Fault> faults() {
        return switch (this) {
            case REDIS -> EnumSet.complementOf(EnumSet.of(KILL_SESSIONS, LOCK_TABLE_SHORT, LOCK_TABLE_LONG));
            case FILE -> EnumSet.of(LOCK_TABLE_SHORT, LOCK_TABLE_LONG, KILL_A_PROCESS, PAUSE_A_PROCESS);
            default -> EnumSet.complementOf(EnumSet.of(KILL_PUBSUB_CONNECTIONS, SCRIPT_FLUSH, FLUSHALL));
        };
    }

    /**
     * Might holders lose their locks by it before their leases end, so that for a moment there are two? A Redis may lose its
     * data, and session locks end with their sessions: a connection that is cut ends one as well as any other way does. A
     * lease in a table is there until its end, whatever happens.
     */
    boolean losesBy(Fault fault) {
        return switch (this) {
            case REDIS -> fault == RESTART_SERVER || fault == FLUSHALL;
            case POSTGRESQL, MARIADB, H2, FILE -> false;
            case POSTGRESQL_SESSIONS, MARIADB_SESSIONS ->
                EnumSet.of(CUT_ALL_CONNECTIONS, REFUSE_CONNECTIONS, SWALLOW_CONNECTIONS, RESTART_SERVER, KILL_SESSIONS)
                        .contains(fault);
        };
    }

    Locker locker(String url, String label) {
        return new HoldfastLocker(Holdfast.builder(opener(url)).label(label).build());
    }

    private StoreFactory opener(String url) {
        return switch (this) {
            case REDIS -> RedisStore.at(url).timeout(TIMEOUT);
            case POSTGRESQL, MARIADB, H2 ->
                JdbcStore.leaseTable(url).createTables().timeout(TIMEOUT);
            case FILE -> JdbcStore.file(Path.of(url)).timeout(TIMEOUT);
            case POSTGRESQL_SESSIONS, MARIADB_SESSIONS ->
                JdbcStore.sessionLocks(url).createTables().timeout(TIMEOUT);
        };
    }

    Data data(String url) {
        return this == REDIS ? FencedData.at(url) : new SqlData(url);
    }

    /** The place of a round. */
    Place start(int round, Names names) {
        return switch (this) {
            case REDIS -> new RedisPlace(round);
            case POSTGRESQL, POSTGRESQL_SESSIONS ->
                new SqlPlace(this, names, Database.POSTGRESQL, PostgresServer.start());
            case MARIADB, MARIADB_SESSIONS -> new SqlPlace(this, names, Database.MARIADB, MariaDbServer.start());
            case H2 -> new SqlPlace(this, names, Database.H2, H2Server.start());
            case FILE -> new FilePlace(names);
        };
    }

    /** The tables of those that have tables; the first has a row for each name. */
    List<String> tables() {
        return switch (this) {
            case REDIS -> List.of();
            case POSTGRESQL, MARIADB, H2, FILE -> List.of("holdfast_lease", "holdfast_lease_share");
            case POSTGRESQL_SESSIONS, MARIADB_SESSIONS -> List.of("holdfast_session");
        };
    }
}
