package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Cases about leases that are shortened, as by {@code holdAtLeast}. */
abstract class ShorteningCases extends SharingCases {

    private Client shorteningClient() {
        Client client = client();
        assumeTrue(
                capabilities(client).expiry() == Capabilities.Expiry.LEASE,
                "a lease ends with the session of its process");
        return client;
    }

    private static boolean shorten(Client client, Grant grant, Duration lease) {
        return client.await(client.store().shorten(grant.claim(), lease));
    }

    @Nested
    @DisplayName("Shortening")
    class Shortening {

        @Test
        void letsTheLeaseEndThenAndNotBefore() {
            Client one = shorteningClient();
            Client two = client();
            Grant grant = one.acquire(name("shortened"), longLease());
            CompletableFuture<Optional<Grant>> waiting =
                    two.store().acquire(two.claim(name("shortened"), Claim.Mode.WAIT, longLease()));
            long sent = Ticker.system().nanos();

            assertThat(shorten(one, grant, shortLease())).isTrue();

            Grant next = two.granted(waiting);
            assertThat(next.firstToken()).isGreaterThan(grant.firstToken() + grant.tokens() - 1);
            // Two clocks, that of the store and this one, may run at different speeds.
            long least = shortLease().toNanos() - shortLease().toNanos() / 100 - 2_000_000;
            assertThat(Ticker.system().nanos() - sent)
                    .as("the name stays locked for the shorter lease")
                    .isGreaterThanOrEqualTo(least);
        }

        @Test
        void neverLengthens() {
            Client one = shorteningClient();
            Client two = client();
            Grant grant = one.acquire(name("not longer"), shortLease());

            assertThat(shorten(one, grant, longLease())).isTrue();

            two.acquire(name("not longer"), longLease());
        }

        @Test
        void endsNoOtherLease() {
            Client one = shorteningClient();
            Client two = client();
            Grant over = one.acquire(name("others"), longLease());
            one.release(over);
            two.acquire(name("others"), longLease());

            assertThat(shorten(one, over, shortLease())).isFalse();

            letPass(shortLease().multipliedBy(2));
            assertThat(one.attempt(name("others"), longLease())).isEmpty();
        }

        @Test
        void isFollowedByARelease() {
            Client one = shorteningClient();
            Client two = client();
            Grant grant = one.acquire(name("released"), longLease());

            assertThat(shorten(one, grant, longLease().dividedBy(2))).isTrue();
            assertThat(one.release(grant)).isTrue();

            assertThat(two.attempt(name("released"), longLease())).isPresent();
        }

        @Test
        void appliesToPermits() {
            Client one = shorteningClient();
            assumeTrue(
                    capabilities(one).sharing() == Capabilities.Sharing.UNITS,
                    "claims for some of many units are not for this store");
            Client two = client();
            Grant pair = one.acquire(name("permits"), longLease(), 2, 3);
            one.acquire(name("permits"), longLease(), 1, 3);

            assertThat(shorten(one, pair, shortLease())).isTrue();

            Grant next = two.acquire(name("permits"), longLease(), 2, 3);
            assertThat(next.claim().units()).isEqualTo(2);
            assertThat(two.await(two.store().acquire(two.claim(name("permits"), Claim.Mode.TRY, longLease(), 1, 3))))
                    .as("the other holder has its permit")
                    .isEmpty();
        }
    }
}
