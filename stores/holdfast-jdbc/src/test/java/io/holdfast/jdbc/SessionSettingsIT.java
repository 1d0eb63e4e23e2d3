package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.PostgresServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Timeouts that a server sets for all sessions. */
class SessionSettingsIT {

    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void waitOutlastsTheTransactionTimeout() {
        try (PostgresServer server = PostgresServer.start("transaction_timeout = 500ms", "statement_timeout = 500ms");
                Holdfast one = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                Database.Admin admin = Database.POSTGRES.admin(server)) {
            Lease held = one.lock("outlasts").acquire();
            CompletableFuture<Lease> waiter = other.lock("outlasts").acquireAsync();

            Eventually.holds(
                    "one wait lasts longer than the timeout",
                    () -> admin.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
                                    + " AND clock_timestamp() - xact_start > interval '1 s'")
                            == 1);

            assertThat(held.release()).isTrue();
            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }
}
