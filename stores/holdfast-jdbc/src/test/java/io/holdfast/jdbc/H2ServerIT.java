package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.Direction;
import io.holdfast.servers.TcpProxy;
import java.sql.SQLException;
import java.time.Duration;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** H2 as a server of its own. */
class H2ServerIT {

    private Server server;

    @BeforeEach
    void start() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void connectionThatAnswersNothingIsGivenUp() {
        try (TcpProxy network = TcpProxy.to(server.getPort());
                Holdfast holdfast = open(network.port())) {
            assertThat(holdfast.lock("silent").tryAcquire()).hasValueSatisfying(Lease::close);
            network.carrying("").forEach(connection -> connection.stall(Direction.TO_CLIENT));

            assertThat(holdfast.lock("silent").acquire().release()).isTrue();
        }
    }

    private static Holdfast open(int port) {
        String url = "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:locks;DB_CLOSE_DELAY=-1";
        return Kind.open(Kind.LEASE_TABLE.at(url).timeout(Duration.ofMillis(500)), Duration.ofSeconds(10));
    }
}
