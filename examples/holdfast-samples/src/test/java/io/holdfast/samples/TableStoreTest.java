package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableStoreTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final LockTable table = new LockTable(() -> now);
    private final TableStore store = new TableStore(table, Ticker.system());
    private int claims;

    @Test
    void serverWithALateClockKeepsHoldersApart() {
        LockTable late = new LockTable(Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
        List<Long> tokens = new ArrayList<>();
        try (Holdfast one = TableStores.connect(late);
                Holdfast two = TableStores.connect(late)) {
            for (int i = 0; i < 20; i++) {
                one.lock("hotel:42").run(lease -> tokens.add(lease.token()));
                try (Lease lease = two.lock("hotel:42").acquire()) {
                    assertThat(one.lock("hotel:42").tryAcquire()).isEmpty();
                    tokens.add(lease.token());
                }
            }
        }

        assertThat(tokens).hasSize(40).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void tokensGrowThoughTheClockIsSetBack() {
        Claim first = claim();
        long last = granted(first);
        store.release(first);
        now = now.minus(Duration.ofHours(1));

        Claim second = claim();
        assertThat(granted(second)).isGreaterThan(last);
    }

    @Test
    void releasedClaimDoesNotComeBackWhenTheClockIsSetBack() {
        Claim first = claim();
        granted(first);
        assertThat(store.release(first)).isTrue();
        now = now.minus(Duration.ofHours(1));

        assertThat(store.attempt(claim())).isInstanceOf(Attempt.Granted.class);
        assertThat(store.renew(List.of(new RenewalRequest(first, LEASE)))).containsExactly(RenewalRequest.Outcome.GONE);
    }

    @Test
    void releasedClaimsAreForgottenAfterAWhile() {
        for (int i = 0; i < 100; i++) {
            store.release(claim());
            now = now.plus(Duration.ofMinutes(1));
        }

        assertThat(table.released).hasSizeLessThan(10);
    }

    private long granted(Claim claim) {
        Attempt attempt = store.attempt(claim);
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).grant().firstToken();
    }

    private Claim claim() {
        ClaimId id = new ClaimId(1, ++claims);
        return new Claim("hotel:42", id, Claim.Mode.TRY, 1, 1, LEASE, 8, new Owner("test", 1, "", ""));
    }
}
