package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Stores with one bug each in their fencing tokens, and the case of the kit that has to find it. */
enum BrokenTokens implements PlantedBug {
    READERS_HAVE_TOKENS_BELOW_THE_LAST_WRITERS("aReadersTokensAreAboveThoseOfEarlierWriters", "to be greater than") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return tokensOf(store, BrokenTokens::isReader, grant -> Broken.withToken(grant, grant.firstToken() - HOUR));
        }
    },
    READERS_HAVE_THE_TOKENS_OF_THE_READER_BESIDE_THEM(
            "aReadersTokensAreAboveThoseOfEarlierWriters", "to be greater than") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return tokensOf(store, claim -> claim.capacity() == Claim.READ_WRITE, grant -> {
                String name = grant.claim().name();
                if (isReader(grant.claim())) {
                    return Broken.withToken(grant, shared.firstOf(name, grant.firstToken()));
                }
                shared.forgetFirstOf(name);
                return grant;
            });
        }
    },
    READERS_UNDER_LOAD_HAVE_TOKENS_BELOW_THE_LAST_WRITERS(
            "readersWritersAndPermitsOfSeveralProcessesKeepApart",
            "The larger token began before the end of the smaller one") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return READERS_HAVE_TOKENS_BELOW_THE_LAST_WRITERS.breakIt(store, shared);
        }
    },
    PERMITS_OF_A_NAME_HAVE_ONE_BLOCK("tokenBlocksAreOfOneLeaseOnlyAndGrow", "to be greater than") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return tokensOf(
                    store,
                    BrokenTokens::isPermit,
                    grant ->
                            Broken.withToken(grant, shared.firstOf(grant.claim().name(), grant.firstToken())));
        }
    },
    PERMITS_HAVE_BLOCKS_THAT_OVERLAP("tokenBlocksAreOfOneLeaseOnlyAndGrow", "to be greater than") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return tokensOf(store, BrokenTokens::isPermit, grant -> nextTokenOnly(grant, shared));
        }
    },
    PERMITS_UNDER_LOAD_HAVE_ONE_BLOCK(
            "readersWritersAndPermitsOfSeveralProcessesKeepApart", "Two leases of permits have one token") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return PERMITS_OF_A_NAME_HAVE_ONE_BLOCK.breakIt(store, shared);
        }
    },
    PERMITS_THAT_WAITED_HAVE_BLOCKS_THAT_OVERLAP("clientsAtOnceNeverHoldMoreThanThereIs", "Token blocks overlap") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return tokensOf(store, BrokenTokens::isPermit, grant -> nextTokenOnly(grant, shared));
        }
    };

    /** In microseconds, as tokens are. */
    private static final long HOUR = 3_600_000_000L;

    private final String caughtBy;
    private final String because;

    BrokenTokens(String caughtBy, String because) {
        this.caughtBy = caughtBy;
        this.because = because;
    }

    @Override
    public String because() {
        return because;
    }

    @Override
    public String caughtBy() {
        return caughtBy;
    }

    private static boolean isReader(Claim claim) {
        return claim.capacity() == Claim.READ_WRITE && claim.units() < claim.capacity();
    }

    private static boolean isPermit(Claim claim) {
        return claim.capacity() > 1 && claim.capacity() < Claim.READ_WRITE;
    }

    private static LockStore tokensOf(LockStore store, Predicate<Claim> whose, UnaryOperator<Grant> change) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                return whose.test(claim) ? answer.thenApply(its -> its.map(change)) : answer;
            }
        };
    }

    /** A block that says eight tokens, where only the first is reserved. */
    private static Grant nextTokenOnly(Grant grant, Broken.Shared shared) {
        String name = grant.claim().name();
        long first =
                shared.firstOf(name, grant.firstToken()) + shared.counter(name).getAndIncrement() - 1;
        return new Grant(grant.claim(), first, 8, grant.countsFrom(), grant.lease());
    }
}
