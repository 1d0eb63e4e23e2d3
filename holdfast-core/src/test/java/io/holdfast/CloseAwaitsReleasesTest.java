package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A critical section ends while {@code close()} waits for it: the store is not closed before the release was sent. */
class CloseAwaitsReleasesTest {

    private final String url = "memory:" + UUID.randomUUID();
    private final CountDownLatch releasing = new CountDownLatch(1);
    private final CountDownLatch mayRelease = new CountDownLatch(1);
    private final List<String> calls = new CopyOnWriteArrayList<>();

    /** A store whose release takes its time before it is sent. */
    private LockStore open(Environment environment) {
        LockStore memory = new MemoryStoreProvider().open(url, environment);
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("release")) {
                        releasing.countDown();
                        assertThat(mayRelease.await(30, TimeUnit.SECONDS)).isTrue();
                    }
                    try {
                        Object result = method.invoke(memory, arguments);
                        calls.add(method.getName());
                        return result;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void storeIsNotClosedBeforeTheReleaseWasSent() throws Exception {
        Holdfast holdfast = Holdfast.builder(this::open)
                .shutdownGrace(Duration.ofSeconds(30))
                .build();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Void> body = CompletableFuture.runAsync(lease::close);
        assertThat(releasing.await(30, TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(holdfast::close);
        closing.start();
        Await.until(
                "close() waits, or has not waited",
                () -> closing.getState() == Thread.State.TIMED_WAITING
                        || closing.getState() == Thread.State.TERMINATED);

        assertThat(calls).doesNotContain("close");
        mayRelease.countDown();
        body.join();
        closing.join();

        assertThat(calls).containsSubsequence("release", "close");
        try (Holdfast other = Holdfast.connect(url)) {
            assertThat(other.lock("a").tryAcquire()).isPresent();
        }
    }
}
