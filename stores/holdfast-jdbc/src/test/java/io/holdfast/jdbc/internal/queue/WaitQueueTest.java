package io.holdfast.jdbc.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitQueueTest {

    private static final long NOW = 1_000_000_000;
    private static final long SECOND = 1_000_000;
    private static final Owner OWNER = new Owner("host", 4711, "orders", "guest 42");

    private static Claim claim(long number) {
        return new Claim("name", new ClaimId(0xaa, number), Claim.Mode.WAIT, 1, 1, Duration.ofSeconds(10), 1, OWNER);
    }

    private static WaitQueue at(String text, long now) {
        return new WaitQueue(text, now);
    }

    @Test
    void queuedClaimsAreListedInTheirOrderWithTheTimeThatTheyHaveWaited() {
        WaitQueue queue = at("", NOW);
        queue.add(claim(1), NOW + 10 * SECOND);
        WaitQueue later = at(queue.toString(), NOW + 2 * SECOND);
        later.add(claim(2), NOW + 10 * SECOND);

        assertThat(at(later.toString(), NOW + 5 * SECOND).waiting())
                .containsExactly(
                        new WaitQueue.Waiting(OWNER, Duration.ofSeconds(5)),
                        new WaitQueue.Waiting(OWNER, Duration.ofSeconds(3)));
    }

    @Test
    void refreshedEntryKeepsItsPlaceAndItsArrival() {
        WaitQueue queue = at("", NOW);
        queue.add(claim(1), NOW + 3 * SECOND);
        queue.add(claim(2), NOW + 3 * SECOND);
        WaitQueue refreshed = at(queue.toString(), NOW + 2 * SECOND);

        assertThat(refreshed.add(claim(1), NOW + 10 * SECOND)).isTrue();

        WaitQueue later = at(refreshed.toString(), NOW + 4 * SECOND);
        assertThat(later.first()).isEqualTo(claim(1).id().toString());
        assertThat(later.waiting()).containsExactly(new WaitQueue.Waiting(OWNER, Duration.ofSeconds(4)));
    }

    @Test
    void entryOfAnEarlierVersionHasNoArrival() {
        WaitQueue queue =
                at((NOW + SECOND) + "\t00000000000000aa-1\t1\t1\t60000000\t1\thost 4711 orders guest%2042", NOW);

        assertThat(queue.waiting()).containsExactly(new WaitQueue.Waiting(OWNER, null));
    }
}
