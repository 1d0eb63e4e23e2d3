package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The owner is a thread; asynchronous code releases from another one. */
class A12OwnerIsAHandleTest {

    @Test
    void naiveLockCannotBeReleasedByTheThreadThatEndsTheWork() {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            CompletableFuture<Void> elsewhere = CompletableFuture.runAsync(lock::unlock);

            assertThat(elsewhere.handle((done, failure) -> failure).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IllegalMonitorStateException.class);
            assertThat(lock.isLocked()).as("and stays locked").isTrue();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void leaseIsReleasedByWhoeverHasIt() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");
            Lease lease = lock.acquire();

            boolean ours = CompletableFuture.supplyAsync(lease::release).get(10, TimeUnit.SECONDS);

            assertThat(ours).isTrue();
            assertThat(lock.inspect().isFree()).isTrue();
        }
    }

    @Test
    void wholeSectionRunsWithoutAThreadOfItsOwn() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");
            Lease first = lock.acquire();

            CompletableFuture<Boolean> section = lock.acquireAsync()
                    .thenCompose(lease ->
                            CompletableFuture.supplyAsync(lease::token).thenCompose(token -> lease.releaseAsync()));
            first.close();

            assertThat(section.get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(lock.inspect().isFree()).isTrue();
        }
    }
}
