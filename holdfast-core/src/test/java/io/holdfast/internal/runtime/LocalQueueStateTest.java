package io.holdfast.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LeaseLostException.Reason;
import io.holdfast.LockOptions;
import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.internal.queue.DueRenewal;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LeaseHandle;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.queue.Units;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The local queue of one name, on its own: what only a race between threads shows from outside. */
class LocalQueueStateTest {

    private final ManualTime time = new ManualTime();
    private final LockStore store = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
    private final Engine engine = new Engine(
            store,
            time.environment(),
            new Settings("test", 64, Duration.ofMillis(50), Duration.ofMinutes(1), Duration.ZERO, List.of()));

    @AfterEach
    void close() {
        var unused = engine.close(() -> {});
        store.close();
    }

    /** A thread that found the queue just before its last waiter left has to look for a new one. */
    @Test
    void queueThatWasTakenDownAcceptsNobody() {
        TestWaiter first = new TestWaiter();
        LocalQueue queue = engine.join(first);
        first.release();
        assertThat(engine.queue("a")).as("taken down with the last lease").isNull();

        TestWaiter late = new TestWaiter();

        assertThat(queue.join(late)).isFalse();
        assertThat(late.lease).isNull();
        LocalQueue next = engine.join(late);
        assertThat(next).isNotSameAs(queue);
        late.release();
    }

    @Test
    void waiterThatWasServedCannotLeaveAnyMore() {
        TestWaiter holder = new TestWaiter();
        LocalQueue queue = engine.join(holder);
        TestWaiter waiter = new TestWaiter();
        assertThat(queue.join(waiter)).isTrue();
        assertThat(waiter.lease).isNull();

        assertThat(queue.leave(waiter, LockEvent.Kind.CANCELLED, null)).isTrue();
        assertThat(queue.leave(waiter, LockEvent.Kind.CANCELLED, null))
                .as("a second time")
                .isFalse();
        assertThat(queue.leave(holder, LockEvent.Kind.CANCELLED, null))
                .as("it has the lease")
                .isFalse();
        assertThat(holder.release()).isTrue();
    }

    @Test
    void leaseIsLostOnce() {
        TestWaiter holder = new TestWaiter();
        LocalQueue queue = engine.join(holder);
        LeaseRecord record = holder.lease().record();

        assertThat(queue.lose(record, Reason.EXPIRED, "planted")).isTrue();
        assertThat(queue.lose(record, Reason.EXPIRED, "planted again")).isFalse();

        assertThat(record.reason()).isEqualTo("planted");
    }

    /** The lease was released between the scan that found its renewal due and the sending: close() must not wait for an answer. */
    @Test
    void renewalThatIsNotSentIsNotAwaited() {
        TestWaiter holder = new TestWaiter(
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
        LocalQueue queue = engine.join(holder);
        time.pause(Duration.ofSeconds(3));
        List<DueRenewal> due = new ArrayList<>();
        queue.checkLeases(engine.now(), due);
        assertThat(due).hasSize(1);
        HeldGrant its = due.get(0).held();
        assertThat(queue.isRenewalNeeded(its)).isTrue();

        holder.release();
        assertThat(engine.releases().unanswered()).as("a renewal may follow").isEqualTo(1);

        assertThat(queue.isRenewalNeeded(its)).isFalse();
        assertThat(engine.releases().unanswered()).isZero();
    }

    @Test
    void leaseThatIsShortenedWhileNoRenewalIsUnderWayAwaitsNone() {
        TestWaiter holder = new TestWaiter(
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
        var unused = engine.join(holder);

        holder.release();

        assertThat(engine.releases().unanswered()).isZero();
    }

    private static final class TestLease implements LeaseHandle {

        private final LeaseRecord record;

        TestLease(LocalQueue queue, HeldGrant held, Waiter waiter, long token, long now) {
            this.record = new LeaseRecord(this, queue, held, waiter, token, now);
        }

        @Override
        public LeaseRecord record() {
            return record;
        }

        @Override
        public void notifyLost() {}
    }

    private final class TestWaiter extends Waiter {

        @Nullable
        TestLease lease;

        TestWaiter() {
            this(LockOptions.defaults());
        }

        TestWaiter(LockOptions options) {
            super(
                    new LockRequest("a", Units.EXCLUSIVE, RequestTimes.of(options), new Owner("host", 1, "test", "")),
                    Claim.Mode.WAIT,
                    time.nanos(),
                    time.nanos(),
                    RequestTimes.NO_END,
                    null,
                    null);
        }

        TestLease lease() {
            return Objects.requireNonNull(lease, "not served");
        }

        /** Whether it was still held. */
        boolean release() {
            LeaseRecord record = lease().record();
            if (!record.close()) {
                return false;
            }
            CompletableFuture<Boolean> held = record.queue().release(record);
            return held != null && held.join();
        }

        @Override
        protected LeaseHandle newLease(LocalQueue queue, HeldGrant held, long token, long now) {
            return new TestLease(queue, held, this, token, now);
        }

        @Override
        protected void served(LeaseHandle served) {
            lease = (TestLease) served;
        }

        @Override
        protected void refused(@Nullable RuntimeException reason) {
            throw new AssertionError("refused", reason);
        }
    }
}
