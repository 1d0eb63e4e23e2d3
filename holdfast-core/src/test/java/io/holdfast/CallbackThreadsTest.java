package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On which threads user code runs, and what those threads bring along. */
class CallbackThreadsTest {

    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    private final LogCapture log = new LogCapture();

    @AfterEach
    void close() {
        log.close();
    }

    /** A driver has one thread for all answers: a callback that waits for an answer there would wait for itself. */
    @Test
    void callbackThatTheExecutorRefusesDoesNotRunOnTheThreadOfTheDriver() throws Exception {
        ExecutorService driver = Executors.newSingleThreadExecutor(task -> new Thread(task, "driver"));
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Environment environment = new Environment(
                Ticker.system(),
                (task, delay) -> {
                    var scheduled = timer.schedule(task, delay, TimeUnit.NANOSECONDS);
                    return () -> scheduled.cancel(false);
                },
                task -> {
                    throw new RejectedExecutionException("planted: the queue is full");
                },
                () -> 0.5);
        FaultyStore store = new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), environment));
        CountDownLatch registered = new CountDownLatch(1);
        store.answers = answer -> answer.thenApplyAsync(
                result -> {
                    await(registered);
                    return result;
                },
                driver);
        try (Holdfast holdfast =
                Holdfast.builder(store).environment(environment).build()) {
            CompletableFuture<String> thread = holdfast.lock("a").acquireAsync().thenApply(lease -> {
                // Waits for an answer of the driver.
                lease.close();
                return Thread.currentThread().getName();
            });
            registered.countDown();

            assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("holdfast-fallback-");
        } finally {
            timer.shutdownNow();
            driver.shutdownNow();
        }
        assertThat(log.messages()).anyMatch(message -> message.contains("The executor refused a callback"));
    }

    @Test
    void callbackThatAnExecutorHasRunAndRefusedRunsOnce() throws Exception {
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .executor(task -> {
                    task.run();
                    throw new RejectedExecutionException("planted: accepted all the same");
                })
                .build()) {
            Lease first = holdfast.lock("a").acquire();
            CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync();
            first.close();

            Lease second = waiter.get(20, TimeUnit.SECONDS);
            // Behind whatever else the refusal has caused.
            holdfast.lock("b").acquireAsync().get(20, TimeUnit.SECONDS).close();
            assertThat(second.release()).as("it was still held").isTrue();
        }
    }

    @Test
    void callbacksDoNotInheritThreadLocalsOfTheCaller() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            for (String user : new String[] {"alice", "bob"}) {
                Lease held = holdfast.lock("a").acquire();
                CompletableFuture<String> seen = new CompletableFuture<>();
                Thread request = new Thread(() -> {
                    USER.set(user);
                    var unused = holdfast.lock("a").acquireAsync().thenAccept(lease -> {
                        seen.complete(String.valueOf(USER.get()));
                        lease.close();
                    });
                    // Starts the first callback thread while the request is known.
                    held.close();
                });
                request.start();

                assertThat(seen.get(20, TimeUnit.SECONDS))
                        .as("the user of %s's callback", user)
                        .isEqualTo("null");
                request.join();
            }
        }
    }

    @Test
    void callbacksHaveTheContextClassLoaderOfTheThreadThatOpenedTheHoldfast() throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader application = new URLClassLoader(new URL[0], before);
                URLClassLoader request = new URLClassLoader(new URL[0], before)) {
            current.setContextClassLoader(application);
            try (Holdfast holdfast = Holdfast.connect("memory:")) {
                current.setContextClassLoader(request);
                Lease held = holdfast.lock("a").acquire();
                CompletableFuture<ClassLoader> seen = holdfast.lock("a")
                        .acquireAsync()
                        .thenApply(lease -> {
                            lease.close();
                            return Thread.currentThread().getContextClassLoader();
                        });
                held.close();

                assertThat(seen.get(20, TimeUnit.SECONDS)).isSameAs(application);
            }
        } finally {
            current.setContextClassLoader(before);
        }
    }

    @Test
    void queueOfCallbacksThatGrowsIsLogged() {
        CountDownLatch slow = new CountDownLatch(1);
        try (Holdfast holdfast =
                Holdfast.builder("memory:").shutdownGrace(Duration.ZERO).build()) {
            Lease lease = holdfast.lock("a").acquire();
            for (int i = 0; i < 1_500; i++) {
                lease.onLost(() -> await(slow));
            }
            holdfast.lock("a").forceRelease(lease.token());
            slow.countDown();
        }

        assertThat(log.messages())
                .anyMatch(message ->
                        message.contains("callbacks wait for one of") && message.contains("set an executor"));
    }

    /** Each continuation blocks until another one has run, and there are more of them than there are threads at first. */
    @Test
    void continuationsThatBlockDoNotKeepEachOtherFromRunning() throws Exception {
        int number = Math.min(200, Math.max(100, 3 * Runtime.getRuntime().availableProcessors()));
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            List<Lease> firsts = new ArrayList<>();
            List<Lease> seconds = new ArrayList<>();
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            CountDownLatch blocked = new CountDownLatch(8);
            for (int i = 0; i < number; i++) {
                DistributedLock second = holdfast.lock("second-" + i);
                DistributedLock first = holdfast.lock("first-" + i);
                seconds.add(second.acquire());
                firsts.add(first.acquire());
                CompletableFuture<Lease> awaited = second.acquireAsync(Duration.ofHours(1));
                ends.add(first.acquireAsync(Duration.ofHours(1)).thenAccept(lease -> {
                    blocked.countDown();
                    awaited.join().close();
                    lease.close();
                }));
            }
            firsts.forEach(Lease::close);
            blocked.await();
            seconds.forEach(Lease::close);

            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void exceptionsOfCallbacksAndListenersAreLoggedAtALimitedRate() {
        AtomicInteger calls = new AtomicInteger();
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .executor(Runnable::run)
                .listener(event -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("planted");
                })
                .build()) {
            for (int i = 0; i < 1_000; i++) {
                holdfast.lock("a").acquire().close();
            }
            Lease lease = holdfast.lock(
                            "b",
                            LockOptions.builder()
                                    .renewal(LockOptions.Renewal.OFF)
                                    .build())
                    .acquire();
            for (int i = 0; i < 1_000; i++) {
                lease.onLost(() -> {
                    throw new IllegalStateException("planted");
                });
            }
            holdfast.lock("b").forceRelease(lease.token());
        }

        Await.until("all events are delivered", () -> calls.get() >= 2_000);
        assertThat(log.messages()).as("a line a second for each kind").hasSizeLessThan(200);
        assertThat(log.messages()).anyMatch(message -> message.contains("A callback threw"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }
}
