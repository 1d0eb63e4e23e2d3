package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The local queue of one name, on its own: what only a race between threads shows from outside. */
class LineTest {

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
        Line line = engine.join(first);
        first.lease().close();
        assertThat(engine.line("a")).as("taken down with the last lease").isNull();

        TestWaiter late = new TestWaiter();

        assertThat(line.join(late)).isFalse();
        assertThat(late.lease).isNull();
        Line next = engine.join(late);
        assertThat(next).isNotSameAs(line);
        late.lease().close();
    }

    @Test
    void waiterThatWasServedCannotLeaveAnyMore() {
        TestWaiter holder = new TestWaiter();
        Line line = engine.join(holder);
        TestWaiter waiter = new TestWaiter();
        assertThat(line.join(waiter)).isTrue();
        assertThat(waiter.lease).isNull();

        assertThat(line.leave(waiter)).isTrue();
        assertThat(line.leave(waiter)).as("a second time").isFalse();
        assertThat(line.leave(holder)).as("it has the lease").isFalse();
        assertThat(holder.lease().release()).isTrue();
    }

    @Test
    void leaseIsLostOnce() {
        TestWaiter holder = new TestWaiter();
        Line line = engine.join(holder);
        Hold hold = holder.lease().hold();

        assertThat(line.lose(hold, "planted")).isTrue();
        assertThat(line.lose(hold, "planted again")).isFalse();

        assertThat(hold.reason()).isEqualTo("planted");
    }

    /** The lease was released between the scan that found its renewal due and the sending: close() must not wait for an answer. */
    @Test
    void renewalThatIsNotSentIsNotAwaited() {
        TestWaiter holder = new TestWaiter(
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
        Line line = engine.join(holder);
        Tenure its = holder.lease().hold().tenure;
        time.pause(Duration.ofSeconds(3));
        List<Keeper.Due> due = new ArrayList<>();
        line.tick(engine.now(), due);
        assertThat(due).extracting(Keeper.Due::tenure).containsExactly(its);
        assertThat(line.isRenewalNeeded(its)).isTrue();

        holder.lease().close();
        assertThat(engine.releaser().unanswered()).as("a renewal may follow").isEqualTo(1);

        assertThat(line.isRenewalNeeded(its)).isFalse();
        assertThat(engine.releaser().unanswered()).isZero();
    }

    @Test
    void leaseThatIsShortenedWhileNoRenewalIsUnderWayAwaitsNone() {
        TestWaiter holder = new TestWaiter(
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
        var unused = engine.join(holder);

        holder.lease().close();

        assertThat(engine.releaser().unanswered()).isZero();
    }

    private final class TestWaiter extends Waiter {

        @Nullable
        HeldLease lease;

        TestWaiter() {
            this(LockOptions.defaults());
        }

        TestWaiter(LockOptions options) {
            super(
                    new Wish("a", Share.EXCLUSIVE, Terms.of(options), new Owner("host", 1, "test", "")),
                    Claim.Mode.WAIT,
                    time.nanos(),
                    time.nanos(),
                    Terms.NO_END,
                    null,
                    null);
        }

        HeldLease lease() {
            return Objects.requireNonNull(lease, "not served");
        }

        @Override
        void served(HeldLease served) {
            lease = served;
        }

        @Override
        void refused(@Nullable RuntimeException reason) {
            throw new AssertionError("refused", reason);
        }
    }
}
