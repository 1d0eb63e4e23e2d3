package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads wait for few names: the database sees as many connections as there are names. */
@ParameterizedClass
@EnumSource
class FewConnectionsIT {

    private static final int THREADS = 256;
    private static final int NAMES = 8;
    private static final int ROUNDS = 20;

    private static SqlServer server;

    private final Database database;

    FewConnectionsIT(Database database) {
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

    @Test
    void sessionLocksUseOneConnectionPerNameAndOneMore() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Holdfast holdfast = Kind.SESSION_LOCKS.open(server.url(), Duration.ofSeconds(10));
                Database.Admin admin = database.admin(server)) {
            // The session that checked the tables has ended.
            Eventually.holds("no session is connected", () -> admin.sessions().isEmpty());
            int[] inside = new int[NAMES];
            AtomicInteger together = new AtomicInteger();
            CyclicBarrier begin = new CyclicBarrier(THREADS);
            CountDownLatch running = new CountDownLatch(THREADS);
            List<Future<?>> uses = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int name = i % NAMES;
                DistributedLock lock = holdfast.lock("name-" + name);
                uses.add(threads.submit(() -> {
                    begin.await();
                    for (int round = 0; round < ROUNDS; round++) {
                        lock.run(lease -> {
                            if (++inside[name] != 1) {
                                together.incrementAndGet();
                            }
                            inside[name]--;
                        });
                    }
                    running.countDown();
                    return null;
                }));
            }
            int most = 0;
            int samples = 0;
            do {
                most = Math.max(most, admin.sessions().size());
                samples++;
            } while (!running.await(1, TimeUnit.MILLISECONDS));
            for (Future<?> use : uses) {
                use.get();
            }
            System.out.println("figure: " + database + ": " + THREADS + " threads, " + NAMES
                    + " names, most connections: " + most + " (" + samples + " looks)");
            assertThat(most).isBetween(1, NAMES + 1);
            assertThat(together).hasValue(0);
            assertThat(holdfast.inspect("name-", NAMES)).isEmpty();
            assertThat(admin.sessions().size()).isLessThanOrEqualTo(NAMES + 1);
        } finally {
            threads.shutdownNow();
        }
    }
}
