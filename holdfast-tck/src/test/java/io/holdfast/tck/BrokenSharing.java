package io.holdfast.tck;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Stores with one bug each in what several claims hold together, and the case of the kit that has to find it. */
enum BrokenSharing implements PlantedBug {
    A_WRITER_COUNTS_AS_ONE_OF_MANY("readersShareAndAWriterIsAlone") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(claim.capacity() == 1 ? claim : claim.withUnits(1))
                            .thenApply(answer -> answer.map(grant -> new Grant(
                                    claim, grant.firstToken(), grant.tokens(), grant.countsFrom(), grant.lease())));
                }
            };
        }
    },
    A_WRITER_THAT_WAITS_IS_NOT_IN_THE_QUEUE("aWaitingWriterIsNotOvertakenByReaders") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return pollingForTheWhole(store, shared);
        }
    },
    SMALL_CLAIMS_OVERTAKE_A_LARGE_ONE("aLargeClaimIsNotOvertakenBySmallOnes") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return pollingForTheWhole(store, shared);
        }
    },
    A_SECOND_RELEASE_GIVES_UNITS_BACK_AGAIN("unitsComeBackOnceHoweverOftenTheyAreReleased") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    return super.release(claim)
                            .thenCompose(held -> held
                                    ? CompletableFuture.completedFuture(true)
                                    : takeFromAnybody(store, claim.name()).thenApply(unused -> false));
                }
            };
        }
    },
    ONE_RELEASE_SERVES_ONE_WAITER("oneReleaseServesAllThatFit") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                    if (answer.isDone()) {
                        return answer;
                    }
                    return answer.thenCompose(
                            grant -> shared.counter(claim.name()).getAndDecrement() > 0
                                    ? CompletableFuture.completedFuture(grant)
                                    : new CompletableFuture<>());
                }
            };
        }
    },
    UNITS_OF_THE_DEAD_ARE_LOST("unitsOfALeaseThatEndedComeBack") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(claim.capacity() == 1 ? claim : Broken.withLease(claim, Duration.ofHours(1)));
                }
            };
        }
    },
    A_DEAD_READER_KEEPS_THE_WRITER_OUT("aDeadReaderLetsTheWriterIn") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return UNITS_OF_THE_DEAD_ARE_LOST.breakIt(store, shared);
        }
    },
    REVOCATION_HITS_EVERY_HOLDER("revocationBringsBackTheUnitsOfThatHolderOnly") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return super.revoke(name, token)
                            .thenCompose(done -> takeFromAnybody(store, name).thenApply(unused -> done));
                }
            };
        }
    },
    THE_SIZE_IS_NOT_LOOKED_AT("anotherCapacityIsRefusedWhileTheNameIsInUse") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(
                            claim.capacity() == 1 ? claim : withCapacity(claim, Math.max(3, claim.units())));
                }
            };
        }
    },
    RENEWAL_KEEPS_ALL_UNITS("aWriterBecomesAReaderWithoutLettingAnotherWriterIn") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    return super.renew(renewals.stream()
                            .map(renewal -> new RenewalRequest(
                                    renewal.claim().withUnits(renewal.claim().capacity()), renewal.lease()))
                            .toList());
                }
            };
        }
    },
    A_WRITER_BECOMES_A_READER_BY_RELEASING("aWriterBecomesAReaderWithoutLettingAnotherWriterIn") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    Claim claim = renewals.get(0).claim();
                    if (claim.capacity() == 1) {
                        return super.renew(renewals);
                    }
                    var unused = super.release(claim);
                    return super.acquire(claim).thenApply(grant -> List.of(RenewalRequest.Outcome.KEPT));
                }
            };
        }
    },
    RENEWAL_TAKES_MORE("aRenewalNeverTakesMore") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    Claim claim = renewals.get(0).claim();
                    return super.release(claim)
                            .thenCompose(held -> super.acquire(claim))
                            .thenApply(grant -> List.of(RenewalRequest.Outcome.KEPT));
                }
            };
        }
    },
    INSPECTION_DOES_NOT_KNOW_UNITS("inspectionShowsWhatEveryHolderHas") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return Broken.holders(
                    store,
                    holder -> new LockInfo.Holder(
                            holder.owner(),
                            holder.mode(),
                            1,
                            holder.token(),
                            holder.tokenCount(),
                            holder.age(),
                            holder.remaining()));
        }
    },
    READERS_AND_WRITERS_MIX_UNDER_LOAD("readersWritersAndPermitsOfSeveralProcessesKeepApart") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return A_WRITER_COUNTS_AS_ONE_OF_MANY.breakIt(store, shared);
        }
    };

    private final String caughtBy;

    BrokenSharing(String caughtBy) {
        this.caughtBy = caughtBy;
    }

    @Override
    public String caughtBy() {
        return caughtBy;
    }

    /** Ends one of the holders, whoever it is. */
    static CompletableFuture<Boolean> takeFromAnybody(LockStore store, String name) {
        return store.inspect(NameFilter.exactly(name))
                .thenCompose(infos -> infos.isEmpty() || infos.get(0).isFree()
                        ? CompletableFuture.completedFuture(false)
                        : store.revoke(name, infos.get(0).holders().get(0).token()));
    }

    /** Who wants all of a shared name has no place in the queue, but tries again and again. */
    private static LockStore pollingForTheWhole(LockStore store, Broken.Shared shared) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                if (claim.capacity() == 1 || claim.units() < claim.capacity() || claim.mode() == Claim.Mode.TRY) {
                    return super.acquire(claim);
                }
                return super.acquire(withMode(claim, Claim.Mode.TRY)).thenCompose(grant -> {
                    if (grant.isPresent()) {
                        return CompletableFuture.completedFuture(grant);
                    }
                    CompletableFuture<Optional<Grant>> later = new CompletableFuture<>();
                    shared.environment()
                            .scheduler()
                            .schedule(
                                    () -> {
                                        var unused = acquire(claim).thenAccept(later::complete);
                                    },
                                    5_000_000);
                    return later;
                });
            }
        };
    }

    private static Claim withCapacity(Claim claim, int capacity) {
        return new Claim(
                claim.name(),
                claim.id(),
                claim.mode(),
                claim.units(),
                capacity,
                claim.lease(),
                claim.tokens(),
                claim.owner());
    }

    private static Claim withMode(Claim claim, Claim.Mode mode) {
        return new Claim(
                claim.name(),
                claim.id(),
                mode,
                claim.units(),
                claim.capacity(),
                claim.lease(),
                claim.tokens(),
                claim.owner());
    }
}
