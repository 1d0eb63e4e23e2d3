package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A lease table of a million names, half of which have not been used for two days. */
@ParameterizedClass
@EnumSource
class MillionNamesIT {

    private static final int NAMES = 1_000_000;
    private static final int STEP = 50_000;
    private static final String OLD = "SELECT count(*) FROM holdfast_lease WHERE ends_at = 0 AND first_token = 1";
    private static final String YOUNG = "SELECT count(*) FROM holdfast_lease WHERE ends_at = 0 AND first_token = 2";

    private static SqlServer server;

    private final Database database;

    MillionNamesIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
        new StoreClient(Kind.LEASE_TABLE.at(server.url())).close();
        try (Database.Admin admin = database.admin(server)) {
            long now = System.currentTimeMillis() * 1_000;
            for (int from = 0; from < NAMES; from += STEP) {
                admin.execute(
                        "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                                + " SELECT CONCAT('order:', RIGHT(CONCAT('0000000', i), 7)), 1, 1 + MOD(i, 2), 2, "
                                + now
                                + " - (1 - MOD(i, 2)) * " + micros(Duration.ofDays(2)) + ", 0 FROM ("
                                + database.integers(from, from + STEP - 1) + ") n");
            }
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** It starts at a name that it uses, in small steps: there is no time to scan the table. */
    @Test
    void processThatLivesForSecondsRemovesOldRows() {
        try (Database.Admin admin = database.admin(server)) {
            long young = admin.number(YOUNG);
            for (String name : List.of("order:0500000x", "order:0200000x")) {
                String near = OLD + " AND name > '" + name + "' AND name < '" + name.replace("0000x", "1000") + "'";
                assertThat(admin.number(near)).isGreaterThan(400);
                try (StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()))) {
                    assertThat(client.acquires(client.claim(name, Claim.Mode.TRY)))
                            .isTrue();
                    Eventually.holds("old rows behind " + name + " are removed", () -> admin.number(near) == 0);
                }
            }
            assertThat(admin.number(OLD)).as("most are left").isGreaterThan(NAMES / 4);
            assertThat(admin.number(YOUNG)).as("none of those that were used").isEqualTo(young);
        }
    }

    /** With one connection. */
    @Test
    void inspectionLetsOtherRequestsGoFirst() {
        try (StoreClient client =
                new StoreClient(Kind.LEASE_TABLE.at(server.url()).connections(1))) {
            Claim held = client.claim("order:0999999", Claim.Mode.TRY);
            assertThat(client.acquires(held)).isTrue();

            CompletableFuture<List<LockInfo>> inspection =
                    client.store().inspect(NameFilter.startingWith("order:", 1_000));
            int meanwhile = 0;
            while (!inspection.isDone()) {
                Claim other = client.claim("other", Claim.Mode.TRY);
                assertThat(client.acquires(other)).isTrue();
                assertThat(Eventually.comes(client.store().release(other))).isTrue();
                meanwhile++;
            }

            System.out.println(
                    "figure: " + database + ": sections during an inspection of a million names: " + meanwhile);
            assertThat(Eventually.comes(inspection)).extracting(LockInfo::name).contains(held.name());
            assertThat(meanwhile).isGreaterThan(10);
            assertThat(Eventually.comes(client.store().release(held))).isTrue();
        }
    }
}
