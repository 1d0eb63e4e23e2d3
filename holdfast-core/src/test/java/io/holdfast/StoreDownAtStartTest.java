package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A Holdfast whose store is unavailable when it is built: it starts, fails as in an outage, and recovers without a restart. */
class StoreDownAtStartTest {

    private final ManualTime time = new ManualTime();
    private final Server server = new Server();

    /** A store that can be opened only while the server is up. */
    private static final class Server implements StoreFactory {

        private final String url = "memory:" + UUID.randomUUID();
        private boolean up;
        private int attempts;
        private int open;

        @Override
        public LockStore open(Environment environment) {
            attempts++;
            if (!up) {
                throw new StoreUnavailableException("test", "connection refused", null);
            }
            open++;
            return new MemoryStoreProvider().open(url, environment);
        }
    }

    private Holdfast.Builder builder() {
        return Holdfast.builder(server).environment(time.environment()).shutdownGrace(Duration.ZERO);
    }

    @Test
    void acquisitionFailsUntilTheStoreIsThereAndThenSucceedsWithoutARestart() {
        try (LogCapture log = new LogCapture();
                Holdfast holdfast = builder().build()) {
            DistributedLock lock = holdfast.lock("a");
            DistributedSemaphore semaphore = holdfast.semaphore("s", 3);
            CompletableFuture<Lease> early = lock.acquireAsync(Duration.ofSeconds(5));
            time.pass(Duration.ofSeconds(6));
            assertThatThrownBy(early::join)
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("connection refused");
            assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(lock::inspect).isInstanceOf(StoreUnavailableException.class);

            CompletableFuture<Lease> patient = lock.acquireAsync(Duration.ofSeconds(30));
            server.up = true;
            time.pass(Duration.ofSeconds(5));

            patient.join().close();
            assertThat(semaphore.tryAcquire()).isPresent();
            assertThat(log.messages()).anyMatch(line -> line.contains("the store is unavailable at the start"));
            assertThat(log.messages()).anyMatch(line -> line.contains("connected, after"));
            assertThat(server.open).isEqualTo(1);
        }
    }

    @Test
    void failFastThrowsAtTheStart() {
        assertThatThrownBy(() -> builder().failFast().build()).isInstanceOf(StoreUnavailableException.class);
        time.pass(Duration.ofSeconds(10));
        assertThat(server.attempts).isEqualTo(1);
    }

    @Test
    void wrongConfigurationThrowsAtTheStart() {
        assertThatThrownBy(() -> Holdfast.builder((StoreFactory) environment -> {
                            throw new IllegalArgumentException("no such scheme");
                        })
                        .environment(time.environment())
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Holdfast.connect("nosuch:thing")).isInstanceOf(IllegalArgumentException.class);
    }

    /** A store of sessions, as for session locks: exclusive locks only, and leases end with the process. */
    private LockStore openSessions(Environment environment) {
        LockStore store = server.open(environment);
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> method.getName().equals("capabilities")
                        ? new Capabilities(
                                "sessions",
                                Capabilities.Queue.NONE,
                                Capabilities.Sharing.EXCLUSIVE_ONLY,
                                Capabilities.Expiry.SESSION)
                        : method.invoke(store, arguments));
    }

    @Test
    void capabilityThatTheStoreTurnsOutNotToHaveIsRefused() {
        try (Holdfast holdfast = Holdfast.builder(this::openSessions)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            DistributedSemaphore semaphore = holdfast.semaphore("s", 2);
            DistributedLock held = holdfast.lock(
                    "h",
                    LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
            DistributedLock plain = holdfast.lock("a");
            CompletableFuture<Lease> waiting = semaphore.acquireAsync(Duration.ofSeconds(30));
            server.up = true;
            time.pass(Duration.ofSeconds(5));

            assertThatThrownBy(waiting::join).hasCauseInstanceOf(UnsupportedCapabilityException.class);
            assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(UnsupportedCapabilityException.class);
            assertThatThrownBy(held::tryAcquire).isInstanceOf(UnsupportedCapabilityException.class);
            assertThat(plain.tryAcquire()).isPresent();
        }
    }

    @Test
    void nothingIsRetriedAfterClose() {
        builder().build().close();
        time.pass(Duration.ofMinutes(1));
        assertThat(time.timers()).isZero();
    }

    /** A thread pool that is full at the moment must not end the attempts. */
    @Test
    void connectionIsRetriedAlthoughTheExecutorHasRefusedIt() {
        AtomicBoolean full = new AtomicBoolean(true);
        Environment given = time.environment();
        Environment environment = new Environment(
                given.ticker(),
                given.scheduler(),
                task -> {
                    if (full.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    given.executor().execute(task);
                },
                given.random());
        try (Holdfast holdfast = Holdfast.builder(server)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .build()) {
            time.pass(Duration.ofSeconds(5));
            server.up = true;
            full.set(false);
            time.pass(Duration.ofSeconds(5));
            assertThat(holdfast.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void storeThatIsOpenedAfterCloseIsClosedAgain() {
        Holdfast holdfast = builder().build();
        holdfast.close();
        server.up = true;
        time.pass(Duration.ofSeconds(10));
        assertThat(server.open).isZero();
        assertThatThrownBy(() -> holdfast.lock("a")).isInstanceOf(HoldfastClosedException.class);
    }
}
