package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Renewal;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many leases are renewed at once, and drivers that send them in a bulk do not say which of them they have found. */
class BatchedRenewalIT {

    @ParameterizedTest
    @CsvSource({
        "POSTGRES, reWriteBatchedInserts=true",
        "MARIADB, useBulkStmts=true",
        "MARIADB, rewriteBatchedStatements=true"
    })
    void eachIsToldWhatBecameOfIt(Database database, String option) {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url() + "&" + option)::open)) {
            List<Claim> claims = List.of("kept", "given-back", "kept-too").stream()
                    .map(name -> client.claim(name, Claim.Mode.TRY))
                    .toList();
            claims.forEach(claim -> assertThat(client.acquires(claim)).isTrue());
            assertThat(Eventually.comes(client.store().release(claims.get(1)))).isTrue();

            List<Renewal> renewals = claims.stream()
                    .map(claim -> new Renewal(claim, Duration.ofSeconds(60)))
                    .toList();

            assertThat(Eventually.comes(client.store().renew(renewals)))
                    .containsExactly(Renewal.Outcome.KEPT, Renewal.Outcome.GONE, Renewal.Outcome.KEPT);
        }
    }

    /** It may be locked by one who sleeps in the middle of a transaction. The leases are short, so there is not much time. */
    @ParameterizedTest
    @CsvSource({"POSTGRES, 1", "POSTGRES, 3", "MARIADB, 1", "MARIADB, 3"})
    void rowThatSomebodyHasLockedIsInTheWayOfItsOwnLeaseAlone(Database database, int capacity) throws SQLException {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url())::open);
                Sql somebody = Sql.at(server.url())) {
            Duration lease = Duration.ofSeconds(6);
            List<Claim> claims = List.of(
                    client.claim("before", Claim.Mode.TRY, lease),
                    client.claim("locked", Claim.Mode.TRY, 1, capacity, lease),
                    client.claim("other", Claim.Mode.TRY, lease),
                    client.claim("others-share", Claim.Mode.TRY, 1, 3, lease));
            claims.forEach(claim -> assertThat(client.acquires(claim)).isTrue());
            somebody.connection().setAutoCommit(false);
            somebody.number("SELECT 1 FROM holdfast_lease WHERE name = 'locked' FOR UPDATE");

            List<Renewal> renewals =
                    claims.stream().map(claim -> new Renewal(claim, lease)).toList();

            assertThat(Eventually.comes(client.store().renew(renewals)))
                    .containsExactly(
                            Renewal.Outcome.KEPT, Renewal.Outcome.UNKNOWN, Renewal.Outcome.KEPT, Renewal.Outcome.KEPT);
        }
    }
}
