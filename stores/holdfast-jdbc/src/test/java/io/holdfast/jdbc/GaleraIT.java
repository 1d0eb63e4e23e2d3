package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.MariaDbServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A MariaDB with wsrep_on, as in a Galera cluster; it has no other members, but the store checks the variable only. */
class GaleraIT {

    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void sessionLocksAreRefusedWhereOtherServersWouldGrantThemAgain() {
        try (MariaDbServer server = MariaDbServer.start("wsrep-on=ON", "wsrep-provider=none", "binlog-format=ROW")) {
            assertThatThrownBy(() -> Kind.SESSION_LOCKS.open(server.url(), LEASE))
                    .hasMessageContaining("wsrep_on")
                    .hasMessageContaining("JdbcStore.leaseTable()");
            try (Holdfast holdfast = Kind.LEASE_TABLE.open(server.url(), LEASE)) {
                assertThat(holdfast.lock("table").tryAcquire()).hasValueSatisfying(Lease::close);
            }
        }
    }
}
