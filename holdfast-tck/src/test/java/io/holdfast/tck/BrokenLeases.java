package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores with one bug each in how leases end or are kept, and the case of the kit that has to find it. Most of them are correct
 * for a name for which two claims have never waited at once.
 */
enum BrokenLeases implements PlantedBug {
    RENEWAL_SAYS_GONE_WHILE_OTHERS_WAIT("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow: renew") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return renewals(
                    store,
                    (renewal, said) -> isAlone(renewal) && isContended(renewal.claim(), shared)
                            ? RenewalRequest.Outcome.GONE
                            : said);
        }
    },
    RENEWAL_SAYS_KEPT_WHILE_OTHERS_WAIT("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow: renew") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return renewals(
                    store,
                    (renewal, said) -> isContended(renewal.claim(), shared) ? RenewalRequest.Outcome.KEPT : said);
        }
    },
    RENEWAL_OF_A_LEASE_THAT_RAN_OUT_SAYS_KEPT(
            "holdersWhoseLeasesRunOutUnderContentionAreKeptApart", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return RENEWAL_SAYS_KEPT_WHILE_OTHERS_WAIT.withBug(store, shared);
        }
    },
    RENEWAL_DOES_NOT_LENGTHEN_WHILE_OTHERS_WAIT(
            "holdersWhoseLeasesRunOutUnderContentionAreKeptApart", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    return isAlone(renewals.get(0))
                                    && isContended(renewals.get(0).claim(), shared)
                            ? CompletableFuture.completedFuture(List.of(RenewalRequest.Outcome.KEPT))
                            : super.renew(renewals);
                }
            };
        }
    },
    LEASE_OF_A_WAITER_ENDS_EARLY("holdersWhoseLeasesRunOutUnderContentionAreKeptApart", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                    if (!answer.isDone()) {
                        long half = claim.lease().toNanos() / 2;
                        Runnable end = () -> {
                            var unused = super.release(claim);
                        };
                        var unused = answer.thenAccept(
                                grant -> shared.environment().scheduler().schedule(end, half));
                    }
                    return answer;
                }
            };
        }
    },
    BLOCK_AFTER_A_LEASE_THAT_RAN_OUT_OVERLAPS_ITS(
            "holdersWhoseLeasesRunOutUnderContentionAreKeptApart", "Token blocks overlap") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(claim)
                            .thenApply(answer -> answer.map(grant -> isContended(claim, shared) ? next(grant) : grant));
                }

                private Grant next(Grant grant) {
                    String name = grant.claim().name();
                    long before = shared.firstOf(name, grant.firstToken());
                    long first = before == grant.firstToken() ? before : before + 1;
                    shared.forgetFirstOf(name);
                    return Broken.withToken(grant, shared.firstOf(name, first));
                }

                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    RenewalRequest harmless = new RenewalRequest(claim, Duration.ofMillis(1));
                    if (super.renew(List.of(harmless)).join().get(0) == RenewalRequest.Outcome.KEPT) {
                        shared.forgetFirstOf(claim.name());
                    }
                    return super.release(claim);
                }
            };
        }
    },
    REVOCATION_SAYS_TRUE_TWICE("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow: revoke") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return super.revoke(name, token).thenApply(ended -> ended || shared.contended.contains(name));
                }
            };
        }
    },
    REVOCATION_SAYS_FALSE_AND_ENDS_THE_LEASE("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow: revoke") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return super.revoke(name, token).thenApply(ended -> ended && !shared.contended.contains(name));
                }
            };
        }
    },
    REVOCATION_SAYS_TRUE_AND_ENDS_NOTHING("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return shared.contended.contains(name)
                            ? CompletableFuture.completedFuture(true)
                            : super.revoke(name, token);
                }
            };
        }
    },
    RELEASE_AND_REVOCATION_BOTH_SAY_TRUE("renewalAndReleaseAtOnceEndALeaseOnce", "This cannot follow: release") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    return super.release(claim)
                            .thenApply(held -> held || (claim.capacity() == 1 && isContended(claim, shared)));
                }
            };
        }
    },
    REVOCATION_COMPARES_THE_FIRST_TOKEN_ONLY("findsTheHolderByEveryTokenOfItsBlock", "Expecting value to be true") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return store.inspect(NameFilter.exactly(name))
                            .thenCompose(infos -> infos.stream()
                                            .flatMap(info -> info.holders().stream())
                                            .anyMatch(holder -> holder.token() == token)
                                    ? super.revoke(name, token)
                                    : CompletableFuture.completedFuture(false));
                }
            };
        }
    },
    REVOCATION_ACCEPTS_LARGER_TOKENS("findsTheHolderByEveryTokenOfItsBlock", "Expecting value to be false") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return store.inspect(NameFilter.exactly(name))
                            .thenCompose(infos -> super.revoke(
                                    name,
                                    infos.stream()
                                            .flatMap(info -> info.holders().stream())
                                            .mapToLong(holder -> Math.min(token, holder.token()))
                                            .findFirst()
                                            .orElse(token)));
                }
            };
        }
    },
    UNITS_OF_A_LEASE_THAT_RAN_OUT_COME_BACK_TWICE(
            "unitsOfLeasesThatEndInEveryWayUnderContentionComeBackOnce", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return releasesOfAnybody(store, shared);
        }
    },
    A_READER_THAT_RAN_OUT_RELEASES_A_WRITER("keepApartWhenLeasesEndInEveryWayUnderContention", "This cannot follow") {
        @Override
        LockStore withBug(LockStore store, Broken.Shared shared) {
            return releasesOfAnybody(store, shared);
        }
    };

    /** What to say to a renewal instead. */
    private interface Say {
        RenewalRequest.Outcome instead(RenewalRequest renewal, RenewalRequest.Outcome said);
    }

    private final String caughtBy;
    private final String because;

    BrokenLeases(String caughtBy, String because) {
        this.caughtBy = caughtBy;
        this.because = because;
    }

    abstract LockStore withBug(LockStore store, Broken.Shared shared);

    @Override
    public LockStore breakIt(LockStore store, Broken.Shared shared) {
        return withBug(watched(store, shared), shared);
    }

    @Override
    public String caughtBy() {
        return caughtBy;
    }

    @Override
    public String because() {
        return because;
    }

    private static LockStore renewals(LockStore store, Say say) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                return super.renew(renewals).thenApply(outcomes -> {
                    List<RenewalRequest.Outcome> others = new ArrayList<>();
                    for (int i = 0; i < outcomes.size(); i++) {
                        others.add(say.instead(renewals.get(i), outcomes.get(i)));
                    }
                    return others;
                });
            }
        };
    }

    /** A release of what was granted and is over ends somebody else's lease, if the name is contended. */
    private static LockStore releasesOfAnybody(LockStore store, Broken.Shared shared) {
        return new ForwardingStore(store) {
            private final Set<ClaimId> granted = ConcurrentHashMap.newKeySet();

            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                return super.acquire(claim).thenApply(answer -> {
                    answer.ifPresent(grant -> granted.add(claim.id()));
                    return answer;
                });
            }

            @Override
            public CompletableFuture<Boolean> release(Claim claim) {
                return super.release(claim)
                        .thenCompose(held -> held || !granted.contains(claim.id()) || !isContended(claim, shared)
                                ? CompletableFuture.completedFuture(held)
                                : BrokenSharing.takeFromAnybody(store, claim.name())
                                        .thenApply(unused -> false));
            }
        };
    }

    private static boolean isAlone(RenewalRequest renewal) {
        return renewal.claim().capacity() == 1;
    }

    private static boolean isContended(Claim claim, Broken.Shared shared) {
        return shared.contended.contains(claim.name());
    }

    /** Remembers the names for which two claims have waited at once. */
    private static LockStore watched(LockStore store, Broken.Shared shared) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                super.inspect(NameFilter.exactly(claim.name())).join().stream()
                        .filter(info -> info.waiters() > 1)
                        .forEach(info -> shared.contended.add(info.name()));
                return answer;
            }
        };
    }
}
