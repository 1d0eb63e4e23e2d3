package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The connection that receives notifications comes from a pool of the application. */
class NotificationListenerIT {

    /** After five seconds without a notification, the connection is checked. */
    private static final String LISTENING =
            "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'";

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Two for statements, one for notifications, one for the application. */
    private static final int SIZE = 4;

    private static PostgresServer server;

    private final AtomicLong ahead = new AtomicLong();
    private final LogLines log = LogLines.ofHoldfast();
    private HikariDataSource pool;
    private Database.Admin admin;
    private Holdfast other;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setMaximumPoolSize(SIZE);
        // Long enough for the threads of the application to be the first in the queue of the pool.
        config.setConnectionTimeout(3_000);
        pool = new HikariDataSource(config);
        admin = Database.POSTGRES.admin(server);
        other = Kind.LEASE_TABLE.open(server.url(), LEASE);
    }

    @AfterEach
    void close() {
        other.close();
        admin.close();
        pool.close();
        log.close();
    }

    @Test
    void connectionIsKeptUntilThePoolHasAnother() throws Exception {
        try (Holdfast holdfast = open(pool)) {
            long first = listening(-1);
            Application application = new Application();
            // What is returned now is closed, as one that is older than the maxLifetime of the pool.
            pool.getHikariPoolMXBean().softEvictConnections();

            ahead.set(Duration.ofMinutes(6).toNanos());
            Eventually.holds(
                    "no other could be borrowed",
                    () -> log.lines().stream()
                            .anyMatch(line -> line.contains("holdfast-jdbc-listen could not be exchanged")));

            assertThat(admin.numbers(LISTENING)).containsExactly(first);
            isHandedOver(holdfast);

            application.end();
            ahead.set(Duration.ofMinutes(8).toNanos());
            listening(first);
            isHandedOver(holdfast);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("holdfast-jdbc-listen could not be exchanged"))
                    .hasSize(1);
        }
    }

    /** As a class that cannot be loaded while the application is being replaced. */
    @Test
    void errorDoesNotEndTheThread() {
        AtomicBoolean isBroken = new AtomicBoolean();
        DataSource source = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                if (isBroken.getAndSet(false)) {
                    throw new NoClassDefFoundError("broken");
                }
                return super.getConnection();
            }
        };
        try (Holdfast holdfast = open(source)) {
            long first = listening(-1);

            isBroken.set(true);
            admin.end(List.of(first));

            listening(first);
            assertThat(log.warnings()).anyMatch(line -> line.contains("LISTEN connection to PostgreSQL lost"));
            isHandedOver(holdfast);
        }
    }

    /** The session that listens, when it is another one, and the only one. */
    private long listening(long before) {
        List<Long> sessions = new ArrayList<>();
        Eventually.holds("another session listens", () -> {
            sessions.clear();
            sessions.addAll(admin.numbers(LISTENING));
            return sessions.size() == 1 && sessions.get(0) != before;
        });
        return sessions.get(0);
    }

    private void isHandedOver(Holdfast holdfast) {
        Lease held = other.lock("notified").acquire();
        CompletableFuture<Lease> waiter = holdfast.lock("notified").acquireAsync(Eventually.LIMIT);
        Eventually.holds(
                "it is queued", () -> admin.number("SELECT count(*) FROM holdfast_lease WHERE queue <> ''") == 1);
        assertThat(held.release()).isTrue();
        assertThat(Eventually.comes(waiter).release()).isTrue();
    }

    private Holdfast open(DataSource source) {
        JdbcStoreBuilder store = JdbcStore.leaseTable(source).createTables();
        return Holdfast.builder(environment -> store.open(new Environment(
                        new Ahead(), environment.scheduler(), environment.executor(), environment.random())))
                .build();
    }

    private final class Ahead implements Ticker {
        @Override
        public long nanos() {
            return Ticker.system().nanos() + ahead.get();
        }

        @Override
        public long wallMicros() {
            return Ticker.system().wallMicros();
        }
    }

    /** Borrows connections until the pool is exhausted, and keeps them. */
    private final class Application {

        private final Collection<Connection> borrowed = new ConcurrentLinkedQueue<>();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean ended;

        Application() {
            for (int i = 0; i < SIZE; i++) {
                Thread thread = new Thread(this::run);
                thread.start();
                threads.add(thread);
            }
            Eventually.holds("the pool is exhausted", () -> !borrowed.isEmpty());
        }

        private void run() {
            while (!ended) {
                try {
                    borrowed.add(pool.getConnection());
                } catch (SQLException none) {
                    // It tries again.
                }
            }
        }

        void end() throws Exception {
            ended = true;
            for (Thread thread : threads) {
                thread.interrupt();
                thread.join();
            }
            for (Connection connection : borrowed) {
                connection.close();
            }
        }
    }
}
