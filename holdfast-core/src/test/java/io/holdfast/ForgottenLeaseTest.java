package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.LogCapture;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nothing renews for ever by accident. */
class ForgottenLeaseTest {

    private final LogCapture log = new LogCapture();
    private final CompletableFuture<LockEvent> forgotten = new CompletableFuture<>();
    private final Holdfast holdfast = Holdfast.builder("memory:")
            .defaults(LockOptions.defaults().withLeaseTime(Duration.ofMillis(300)))
            .listener(event -> {
                if (event.kind() == LockEvent.Kind.FORGOTTEN) {
                    forgotten.complete(event);
                }
            })
            .build();

    @AfterEach
    void close() {
        holdfast.close();
        log.close();
    }

    @Test
    void droppedLeaseIsReleasedAndLoggedWithThePlaceOfItsAcquisition() throws Exception {
        WeakReference<Lease> dropped = new WeakReference<>(acquireAndForget());
        while (dropped.get() != null) {
            System.gc();
        }

        assertThat(forgotten.get(20, TimeUnit.SECONDS).name()).isEqualTo("a");
        holdfast.lock("a").tryAcquire(Duration.ofSeconds(20)).orElseThrow().close();
        assertThat(log.messages())
                .anyMatch(message -> message.contains("Forgotten: the lease on 'a'")
                        && message.contains("ForgottenLeaseTest.acquireAndForget"));
        log.messages().forEach(message -> System.out.println("forgotten lease: " + message));
    }

    private Lease acquireAndForget() {
        return holdfast.lock("a").acquire();
    }

    @Test
    void leaseWithACallbackThatRefersToItIsFoundToo() throws Exception {
        WeakReference<Lease> dropped = new WeakReference<>(acquireWithCallbackAndForget());
        while (dropped.get() != null) {
            System.gc();
        }

        assertThat(forgotten.get(20, TimeUnit.SECONDS).name()).isEqualTo("a");
    }

    private Lease acquireWithCallbackAndForget() {
        Lease lease = holdfast.lock("a").acquire();
        lease.onLost(() -> System.out.println("lost " + lease));
        return lease;
    }

    @Test
    void lockOfADeadThreadIsReleasedAndLogged() throws Exception {
        Lock lock = holdfast.lock("b").asLock();
        Thread owner = new Thread(() -> lockAndDie(lock));
        owner.start();
        owner.join();

        assertThat(forgotten.get(20, TimeUnit.SECONDS).name()).isEqualTo("b");
        holdfast.lock("b").tryAcquire(Duration.ofSeconds(20)).orElseThrow().close();
        assertThat(log.messages())
                .anyMatch(message -> message.contains("Forgotten: the lease on 'b'")
                        && message.contains("ForgottenLeaseTest.lockAndDie"));
        log.messages().forEach(message -> System.out.println("dead owner: " + message));
    }

    private static void lockAndDie(Lock lock) {
        lock.lock();
    }

    @Test
    void leaseInUseIsNeverTakenForForgotten() {
        // Long enough for collections that stop everything, short enough for the Keeper to look meanwhile.
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));
        holdfast.lock("c", options).run(lease -> {
            long end = System.nanoTime() + Duration.ofMillis(1_200).toNanos();
            while (System.nanoTime() - end < 0) {
                System.gc();
            }
        });

        assertThat(forgotten).isNotDone();
    }
}
