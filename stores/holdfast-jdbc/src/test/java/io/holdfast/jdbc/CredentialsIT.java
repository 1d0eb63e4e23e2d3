package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.LockStore;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.net.PasswordAuthentication;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Passwords: right, wrong, and never shown. */
@ParameterizedClass
@EnumSource
class CredentialsIT {

    private static final String SECRET = "t0p-s3cret";
    private static final String WRONG = "wr0ng-gue55";

    private static final Duration LEASE = Duration.ofSeconds(2);

    @TempDir
    private static Path folder;

    private static SqlServer server;

    private final Database database;

    CredentialsIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.startWithAdministrator(folder);
        try (Database.Admin admin = database.administrator(server)) {
            admin.execute(database.secretive(SECRET));
        }
        Eventually.holds("a wrong password is rejected", () -> {
            try (Connection let = DriverManager.getConnection(Database.url(server, "secretive", WRONG))) {
                return let == null;
            } catch (SQLException refused) {
                return true;
            }
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void wrongPasswordIsReportedButNotShown(Kind kind) {
        try (LogLines log = LogLines.ofAll()) {
            Throwable thrown = catchThrowable(() -> kind.open(Database.url(server, "secretive", WRONG), LEASE));

            assertThat(thrown)
                    .hasMessageContaining("127.0.0.1:" + server.port() + "/holdfast")
                    .hasMessageMatching("(?s).*(password authentication failed|Access denied).*");
            assertThat(LogLines.printed(thrown) + log.lines()).doesNotContain(WRONG);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rightPasswordIsNeverShown(Kind kind) {
        AtomicReference<String> name = new AtomicReference<>("");
        String url = Database.url(server, "secretive", SECRET);
        try (LogLines log = LogLines.ofAll();
                Database.Admin admin = database.administrator(server);
                Holdfast holdfast = Holdfast.builder(environment -> {
                            LockStore store = kind.at(url)
                                    .table("secret_" + kind)
                                    .timeout(Duration.ofMillis(300))
                                    .open(environment);
                            name.set(store.capabilities().name());
                            return store;
                        })
                        .defaults(LockOptions.builder()
                                .maxWait(Duration.ofMillis(500))
                                .build())
                        .build()) {
            holdfast.lock("door").run(lease -> {});
            admin.execute("DROP TABLE secret_" + kind);
            Throwable tried = catchThrowable(() -> holdfast.lock("door").tryAcquire());
            Throwable waited = catchThrowable(() -> holdfast.lock("door").acquire());

            // So that it can be closed: it releases what it has requested.
            Kind.open(kind.at(url).table("secret_" + kind), LEASE).close();
            assertThat(tried).isNotNull();
            assertThat(waited).isNotNull();
            assertThat(name.get()).endsWith("://127.0.0.1:" + server.port() + "/holdfast");
            assertThat(LogLines.printed(tried) + LogLines.printed(waited) + log.lines())
                    .doesNotContain(SECRET);
        }
    }

    @Test
    void serverThatDoesNotAnswerIsNamedWithoutThePassword() {
        String url = Database.url(server, "secretive", SECRET).replace(":" + server.port() + "/", ":1/");
        Throwable thrown = catchThrowable(() -> Kind.LEASE_TABLE.open(url, LEASE));
        assertThat(thrown).hasMessageContaining("127.0.0.1:1/holdfast");
        assertThat(LogLines.printed(thrown)).doesNotContain(SECRET);
    }

    /** As with Vault: open connections are kept, and new ones need the new password. */
    @ParameterizedTest
    @EnumSource
    void passwordMayChangeWhileTheStoreIsOpen(Kind kind) {
        Vault vault = new Vault();
        try (LogLines log = LogLines.ofAll();
                Database.Admin admin = database.administrator(server);
                Holdfast holdfast = Kind.open(
                        kind.at(Database.bare(server)).table("rotated_" + kind).credentials(vault), LEASE)) {
            holdfast.lock("door").run(lease -> {});
            int before = vault.calls.get();
            vault.password = "n3w-" + SECRET;
            admin.execute(database.rotated("n3w-" + SECRET));
            endSessions(admin);

            holdfast.lock("door").run(lease -> {});
            assertThat(vault.calls.get()).isGreaterThan(before);
            assertThat(String.valueOf(log.lines())).doesNotContain(SECRET);
        } finally {
            try (Database.Admin admin = database.administrator(server)) {
                admin.execute(database.rotated(SECRET));
            }
        }
    }

    private void endSessions(Database.Admin admin) {
        admin.end(admin.numbers(database.sessionsOf("secretive")));
    }

    @ParameterizedTest
    @EnumSource
    void supplierThatFailsIsNamedWithoutWhatItSays(Kind kind) {
        Supplier<PasswordAuthentication> broken = new Supplier<>() {
            @Override
            public PasswordAuthentication get() {
                throw new IllegalStateException("the vault says " + SECRET, new RuntimeException(SECRET));
            }
        };
        try (LogLines log = LogLines.ofAll()) {
            Throwable thrown = catchThrowable(
                    () -> Kind.open(kind.at(Database.bare(server)).credentials(broken), LEASE));

            assertThat(thrown)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(
                            "supplier of credentials, " + broken.getClass().getName())
                    .hasMessageContaining("threw java.lang.IllegalStateException");
            assertThat(LogLines.printed(thrown) + log.lines())
                    .contains("CredentialsIT.java")
                    .doesNotContain(SECRET);
        }
    }

    /** A supplier that fails for a while does not stop the store for good. */
    @Test
    void supplierThatWorksAgainIsCalledAgain() {
        Vault vault = new Vault();
        try (Database.Admin admin = database.administrator(server);
                Holdfast holdfast = Kind.open(
                        Kind.LEASE_TABLE
                                .at(Database.bare(server))
                                .table("flaky")
                                .credentials(vault),
                        LEASE)) {
            holdfast.lock("door").run(lease -> {});
            vault.password = "";
            endSessions(admin);
            // The first attempts may find out only that the connections are closed.
            Eventually.holds(
                    "the supplier is named",
                    () -> LogLines.printed(
                                    catchThrowable(() -> holdfast.lock("door").tryAcquire()))
                            .matches("(?s).*supplier of credentials, [^ ]+, returned null.*"));
            vault.password = SECRET;

            holdfast.lock("door").run(lease -> {});
        }
    }

    /** Has the present password, or none. */
    private static final class Vault implements Supplier<PasswordAuthentication> {

        private final AtomicInteger calls = new AtomicInteger();
        private volatile String password = SECRET;

        @Override
        @SuppressWarnings("NullAway") // As suppliers are that know nothing of null.
        public PasswordAuthentication get() {
            calls.incrementAndGet();
            String current = password;
            return current.isEmpty() ? null : new PasswordAuthentication("secretive", current.toCharArray());
        }
    }
}
