package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Fence;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.StaleTokenException;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A pause outlives the lease; the old holder writes over the new one. */
class A10FencingTest {

    private final ManualTime time = new ManualTime();
    private final AtomicReference<String> room = new AtomicReference<>("free");

    @Test
    void naiveWriteOfThePausedHolderWins() {
        pausedHolderWritesAfterItsSuccessor((lease, guest) -> room.set(guest));

        assertThat(room.get()).as("the successor's booking is gone").isEqualTo("paused");
    }

    @Test
    void fenceTurnsTheStaleTokenAway() {
        Fence fence = new Fence("room");

        assertThatThrownBy(() ->
                        pausedHolderWritesAfterItsSuccessor((lease, guest) -> fence.guard(lease.token(), () -> {
                            room.set(guest);
                            return guest;
                        })))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("stale")
                .hasMessageContaining("room");

        assertThat(room.get()).isEqualTo("successor");
    }

    @Test
    void naiveFenceForEachThingLetsThePausedHolderWriteTheOther() {
        Fence ofRoom = new Fence("room");
        Fence ofBill = new Fence("room");
        List<String> written = new ArrayList<>();

        pausedHolderWritesAfterItsSuccessor((lease, writer) -> {
            Fence fence = writer.equals("successor") ? ofRoom : ofBill;
            fence.guard(lease.token(), () -> written.add(writer));
        });

        assertThat(written).as("the older token wrote after the newer").containsExactly("successor", "paused");
    }

    @Test
    void oneFenceRejectsTheStaleTokenAtEverythingUnderTheLock() {
        Fence fence = new Fence("room");
        List<String> written = new ArrayList<>();

        assertThatThrownBy(() -> pausedHolderWritesAfterItsSuccessor(
                        (lease, writer) -> fence.guard(lease.token(), () -> written.add(writer))))
                .isInstanceOf(StaleTokenException.class);

        assertThat(written).containsExactly("successor");
    }

    @Test
    void lostLeaseKnowsItAtOnceWhenItIsAsked() {
        pausedHolderWritesAfterItsSuccessor((lease, guest) -> {
            if (lease.state() == LeaseState.HELD) {
                room.set(guest);
            }
        });

        assertThat(room.get()).isEqualTo("successor");
    }

    private interface Booking {
        void book(Lease lease, String guest);
    }

    /** No timer of the paused process fires, and nobody tells it anything. */
    private void pausedHolderWritesAfterItsSuccessor(Booking booking) {
        try (Holdfast paused = Holdfast.builder("memory:a10")
                        .environment(new ManualTimeThatStops(time).environment())
                        .shutdownGrace(Duration.ZERO)
                        .build();
                Holdfast other = Holdfast.builder("memory:a10")
                        .environment(time.environment())
                        .build()) {
            Lease old = paused.lock("room").acquire();
            time.pass(Duration.ofSeconds(11));
            DistributedLock lock = other.lock("room");
            try (Lease lease = lock.acquire()) {
                assertThat(lease.token()).isGreaterThan(old.token());
                booking.book(lease, "successor");
            }
            booking.book(old, "paused");
        }
    }
}
