package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The present connections are half-open: no response arrives, and no error; new ones would work. */
@ParameterizedClass
@EnumSource
class UnresponsiveConnectionIT {

    private static SqlServer server;

    private final Database database;

    UnresponsiveConnectionIT(Database database) {
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

    /** With the default settings: a lease of 10 s, a timeout of 5 s. */
    @Test
    void connectionsThatAnswerNothingAreReplacedBeforeTheLeaseIsLost() {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast holdfast =
                        Kind.LEASE_TABLE.open(database.url(server, network.port()), Duration.ofSeconds(10))) {
            Lease lease = holdfast.lock("apples").acquire();
            for (int i = 0; i < 20; i++) {
                holdfast.lock("name-" + i).run(each -> {});
            }
            List<ProxiedConnection> stalled = network.carrying("");
            stalled.forEach(connection -> {
                connection.stall(Direction.TO_SERVER);
                connection.stall(Direction.TO_CLIENT);
            });
            long begun = System.nanoTime();

            Eventually.renewed(lease);
            Eventually.figure(database + ": all connections unresponsive, renewed after", begun);

            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isTrue();
        }
    }
}
