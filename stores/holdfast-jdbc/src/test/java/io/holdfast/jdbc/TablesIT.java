package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables are missing, are dropped, or are those of another version. */
@ParameterizedClass
@EnumSource
class TablesIT {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static SqlServer server;

    private final Database database;
    private Database.Admin admin;

    TablesIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        admin = database.admin(server);
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    @ParameterizedTest
    @EnumSource
    void missingTableIsReportedWithTheScriptThatCreatesIt(Kind kind) {
        JdbcStoreBuilder store = kind.bare(server.url()).table("missing_" + kind);

        Throwable thrown = catchThrowable(() -> Kind.open(store, LEASE));

        assertThat(thrown).hasMessageContaining("missing_" + kind).hasMessageContaining("createTables()");
        String message = String.valueOf(thrown.getMessage());
        run(message.substring(message.indexOf("\n\n")));
        try (Holdfast holdfast = Kind.open(store, LEASE)) {
            assertThat(holdfast.lock("made").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void droppedTableIsReportedAndUsedAgainWhenItIsCreated(Kind kind) {
        String table = "dropped_" + kind;
        JdbcStoreBuilder store = kind.at(server.url()).table(table);
        try (Holdfast holdfast = Kind.open(store, LEASE)) {
            Lease before = holdfast.lock("dropped").acquire();
            admin.execute("DROP TABLE " + table);
            if (kind == Kind.LEASE_TABLE) {
                Eventually.state(before, LeaseState.LOST);
            }
            before.release();

            Throwable thrown = catchThrowable(() -> holdfast.lock("dropped").tryAcquire());
            assertThat(thrown).isInstanceOf(StoreUnavailableException.class);
            assertThat(LogLines.printed(thrown)).containsIgnoringCase(table);

            Kind.open(store, LEASE).close();
            Lease next = holdfast.lock("dropped").acquire();
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(next.release()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void tableOfAnotherVersionIsRefused(Kind kind) {
        String table = "newer_" + kind;
        Kind.open(kind.at(server.url()).table(table), LEASE).close();
        admin.execute("UPDATE " + table + "_layout SET version = 99");

        assertThatThrownBy(() -> Kind.open(kind.bare(server.url()).table(table), LEASE))
                .hasMessageContaining("layout 99")
                .hasMessageContaining("writes layout");
        assertThatThrownBy(() -> Kind.open(kind.at(server.url()).table(table), LEASE))
                .hasMessageContaining("layout 99");
    }

    /** A lock is identified by the table, however the name of the table is written. */
    @ParameterizedTest
    @EnumSource
    void tableIsTheSameHoweverItIsWritten(Kind kind) {
        String table = "written_" + kind.name().toLowerCase(Locale.ROOT);
        String schema = database == Database.POSTGRES ? "public" : "holdfast";
        try (Holdfast one = Kind.open(kind.at(server.url()).table(table), LEASE);
                Holdfast other = Kind.open(kind.bare(server.url()).table(schema + "." + table), LEASE)) {
            Lease held = one.lock("written").acquire();
            assertThat(other.lock("written").tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
            assertThat(other.lock("written").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    /** The name of a channel on PostgreSQL has at most 63 bytes, and NOTIFY fails with a longer name. */
    @Test
    void longNameOfATableIsSupported() {
        assumeTrue(database == Database.POSTGRES, "only PostgreSQL notifies");
        String schema = "s".repeat(40);
        String table = schema + "." + "t".repeat(40);
        admin.execute("CREATE SCHEMA " + schema);
        JdbcStoreBuilder store = Kind.LEASE_TABLE.at(server.url()).table(table);
        try (Holdfast one = Kind.open(store, Duration.ofMinutes(1));
                Holdfast other = Kind.open(store, Duration.ofMinutes(1))) {
            Lease held = one.lock("long").acquire();
            CompletableFuture<Lease> waiter = other.lock("long").acquireAsync();
            String awaited = "SELECT count(*) FROM " + table + " WHERE queue <> ''";
            Eventually.holds("it waits", () -> admin.number(awaited) == 1);
            assertThat(held.release()).isTrue();
            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }

    private void run(String script) {
        Arrays.stream(script.split(";\n", -1)).filter(part -> !part.isBlank()).forEach(part -> admin.execute(part));
    }
}
