package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.TwoProcesses;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
            .defaults(LockOptions.builder().leaseTime(Duration.ofMillis(300)).build())
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
    void unreachableLeaseIsLoggedWithThePlaceOfItsAcquisitionAndExpires() throws Exception {
        collected(new WeakReference<>(acquireAndForget()));

        assertThat(forgotten.get(20, TimeUnit.SECONDS).name()).isEqualTo("a");
        holdfast.lock("a").tryAcquire(Duration.ofSeconds(20)).orElseThrow().close();
        assertThat(log.messages())
                .anyMatch(message -> message.contains("Forgotten: the lease on 'a'")
                        && message.contains("expires in")
                        && message.contains("ForgottenLeaseTest.acquireAndForget"))
                .noneMatch(message -> message.contains("Lost: "));
        log.messages().forEach(message -> System.out.println("forgotten lease: " + message));
    }

    /** Its critical section may still be running: code needs no reference to the lease in order to work. */
    @Test
    void unreachableLeaseIsNotReleasedButNoLongerRenewed() {
        try (TwoProcesses processes = new TwoProcesses()) {
            List<LockEvent.Kind> events = new ArrayList<>();
            Holdfast forgetful = processes.holdfast(processes.store, 64, event -> events.add(event.kind()));
            collected(new WeakReference<>(forgetful.lock("d").acquire()));

            processes.time.pass(Duration.ofSeconds(5));

            assertThat(events).containsOnlyOnce(LockEvent.Kind.FORGOTTEN);
            assertThat(processes.store.releases).as("releases sent").hasValue(0);
            assertThat(processes.there.lock("d").tryAcquire())
                    .as("while the lease lasts")
                    .isEmpty();
            processes.time.pass(Duration.ofSeconds(5));
            assertThat(processes.store.releases).as("releases sent").hasValue(0);
            assertThat(processes.there.lock("d").tryAcquire())
                    .as("after its expiry")
                    .isPresent();
        }
    }

    @Test
    void waiterBehindAnUnreachableLeaseIsServedAfterItsExpiry() {
        try (TwoProcesses processes = new TwoProcesses()) {
            collected(new WeakReference<>(processes.here.lock("e").acquire()));
            CompletableFuture<Lease> waiter = processes.here.lock("e").acquireAsync(LockOptions.FOREVER);

            processes.time.pass(Duration.ofSeconds(9));
            assertThat(waiter).isNotDone();
            processes.time.pass(Duration.ofSeconds(2));
            assertThat(waiter).isCompleted();
        }
    }

    @Test
    void unreachableReaderExpiresAlthoughOthersRenewTheClaimThatTheyShare() {
        try (TwoProcesses processes = new TwoProcesses()) {
            List<LockEvent.Kind> events = new ArrayList<>();
            Holdfast readers = processes.holdfast(processes.store, 64, event -> events.add(event.kind()));
            DistributedLock read = readers.readWriteLock("f").readLock();
            Lease kept = read.acquire();
            collected(new WeakReference<>(read.acquire()));

            processes.time.pass(Duration.ofSeconds(30));

            assertThat(events).containsSubsequence(LockEvent.Kind.FORGOTTEN, LockEvent.Kind.LOST);
            assertThat(kept.state()).isEqualTo(LeaseState.HELD);
            kept.close();
        }
    }

    @Test
    void readerThatIsLostWithAnUnreachableOneIsToldItsOwnReason() {
        try (TwoProcesses processes = new TwoProcesses()) {
            DistributedLock read = processes.here.readWriteLock("f").readLock();
            Lease kept = read.acquire();
            collected(new WeakReference<>(read.acquire()));
            processes.time.pass(Duration.ofSeconds(1));
            processes.store.down = true;

            processes.time.pass(Duration.ofSeconds(15));

            assertThatThrownBy(kept::ensureHeld)
                    .hasMessageContaining("its deadline passed without a successful renewal");
        }
    }

    private static void collected(WeakReference<Lease> dropped) {
        while (dropped.get() != null) {
            System.gc();
        }
    }

    private Lease acquireAndForget() {
        return holdfast.lock("a").acquire();
    }

    @Test
    void leaseWithACallbackThatRefersToItIsFoundToo() throws Exception {
        collected(new WeakReference<>(acquireWithCallbackAndForget()));

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
        // Long enough for collections that stop everything, short enough for the RenewalScheduler to look meanwhile.
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(3)).build();
        holdfast.lock("c", options).run(lease -> {
            long end = System.nanoTime() + Duration.ofMillis(1_200).toNanos();
            while (System.nanoTime() - end < 0) {
                System.gc();
            }
        });

        assertThat(forgotten).isNotDone();
    }
}
