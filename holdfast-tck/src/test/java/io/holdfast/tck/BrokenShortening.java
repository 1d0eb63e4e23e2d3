package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Stores that shorten leases wrongly, and the case of the kit that has to find it. */
enum BrokenShortening implements PlantedBug {
    SHORTENING_CHANGES_NOTHING("letsTheLeaseEndThenAndNotBefore") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return renew(store, claim, lease);
        }
    },
    SHORTENING_ENDS_THE_LEASE_AT_ONCE("letsTheLeaseEndThenAndNotBefore") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return store.release(claim);
        }
    },
    SHORTENING_LENGTHENS("neverLengthens") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return renew(store, claim, lease);
        }
    },
    SHORTENING_SAYS_TRUE_TO_A_CLAIM_THAT_HOLDS_NOTHING("endsNoOtherLease") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return store.shorten(claim, lease).thenApply(held -> true);
        }
    },
    SHORTENING_ENDS_WHOEVER_HOLDS_THE_NAME("endsNoOtherLease") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return store.inspect(NameFilter.exactly(claim.name()))
                    .thenCompose(infos -> store.revoke(
                            claim.name(), infos.get(0).holders().get(0).token()))
                    .thenApply(revoked -> false);
        }
    },
    SHORTENED_CLAIM_CANNOT_BE_RELEASED("isFollowedByARelease") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return store.release(claim);
        }
    },
    SHORTENING_LEAVES_PERMITS_ALONE("appliesToPermits") {
        @Override
        CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease) {
            return claim.capacity() > 1 ? renew(store, claim, lease) : store.shorten(claim, lease);
        }
    };

    private final String caughtBy;

    BrokenShortening(String caughtBy) {
        this.caughtBy = caughtBy;
    }

    @Override
    public String caughtBy() {
        return caughtBy;
    }

    abstract CompletableFuture<Boolean> shorten(LockStore store, Claim claim, Duration lease);

    @Override
    public LockStore breakIt(LockStore store, Broken.Shared shared) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
                return BrokenShortening.this.shorten(store, claim, lease);
            }
        };
    }

    private static CompletableFuture<Boolean> renew(LockStore store, Claim claim, Duration lease) {
        return store.renew(List.of(new RenewalRequest(claim, lease)))
                .thenApply(outcomes -> outcomes.get(0) == RenewalRequest.Outcome.KEPT);
    }
}
