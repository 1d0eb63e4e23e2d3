package io.holdfast.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionWorkerTest {

    private final ConnectionWorker worker = new ConnectionWorker(
            "worker",
            UrlConnectionSource.of("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"),
            new H2Dialect(),
            Duration.ofSeconds(30),
            Ticker.system());

    @AfterEach
    void close() {
        worker.stop();
        worker.close();
    }

    /** Blocks the worker, so that the requests that follow are executed in the order of the queue. */
    private CountDownLatch busy() {
        CountDownLatch busy = new CountDownLatch(1);
        var unused = worker.call(ConnectionWorker.Priority.REQUEST, session -> {
            try {
                return busy.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                return false;
            }
        });
        return busy;
    }

    @Test
    void renewalIsExecutedBeforeRequests() {
        List<ConnectionWorker.Priority> executed = new ArrayList<>();
        CountDownLatch busy = busy();
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (ConnectionWorker.Priority priority : List.of(
                ConnectionWorker.Priority.POLL,
                ConnectionWorker.Priority.REQUEST,
                ConnectionWorker.Priority.RENEWAL,
                ConnectionWorker.Priority.REQUEST)) {
            all.add(worker.call(priority, session -> executed.add(priority)));
        }
        busy.countDown();

        all.forEach(Eventually::comes);

        assertThat(executed).startsWith(ConnectionWorker.Priority.RENEWAL).hasSize(4);
    }

    /** Else the waiters of a busy process would never find out that their lock is free. */
    @Test
    void pollIsExecutedAlthoughRequestsKeepArriving() {
        CompletableFuture<Boolean> polled = new CompletableFuture<>();
        for (int i = 0; i < 4; i++) {
            requests(polled);
        }
        var unused = worker.call(ConnectionWorker.Priority.POLL, session -> polled.complete(true));

        assertThat(Eventually.comes(polled)).isTrue();
    }

    private void requests(CompletableFuture<Boolean> until) {
        var unused = worker.call(ConnectionWorker.Priority.REQUEST, session -> true)
                .thenAccept(done -> {
                    if (!until.isDone()) {
                        requests(until);
                    }
                });
    }

    /** A row that another session keeps locked does not block other requests. */
    @Test
    void requestWithALockConflictIsQueuedBehindTheOthers() {
        List<String> executed = new ArrayList<>();
        CountDownLatch busy = busy();
        CompletableFuture<Boolean> locked = worker.call(ConnectionWorker.Priority.REQUEST, session -> {
            executed.add("locked");
            if (executed.size() == 1) {
                throw new SQLException("locked", "40001");
            }
            return true;
        });
        CompletableFuture<Boolean> other =
                worker.call(ConnectionWorker.Priority.REQUEST, session -> executed.add("other"));
        busy.countDown();

        assertThat(Eventually.comes(other)).isTrue();
        assertThat(Eventually.comes(locked)).isTrue();

        assertThat(executed).containsExactly("locked", "other", "locked");
    }
}
