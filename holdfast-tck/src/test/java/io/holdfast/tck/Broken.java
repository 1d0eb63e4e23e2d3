package io.holdfast.tck;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Stores with one bug each, and the case of the kit that has to find it. */
enum Broken implements PlantedBug {
    RELEASES_WITHOUT_LOOKING_AT_THE_OWNER("ofALeaseThatIsOverTouchesNobody") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    return store.inspect(NameFilter.exactly(claim.name()))
                            .thenCompose(infos -> infos.isEmpty()
                                    ? super.release(claim)
                                    : store.revoke(
                                            claim.name(),
                                            infos.get(0).holders().get(0).token()));
                }
            };
        }
    },
    TOKEN_DOES_NOT_GROW("growFromGrantToGrant") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return grants(store, grant -> withToken(grant, 7));
        }
    },
    TOKEN_IS_REUSED_AFTER_EXPIRY("growAcrossExpiry") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(claim)
                            .thenApply(answer -> answer.map(grant -> withToken(
                                    grant, 1_000 * shared.counter(claim.name()).get())));
                }

                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    shared.counter(claim.name()).incrementAndGet();
                    return super.release(claim);
                }
            };
        }
    },
    DEADLINE_COUNTS_FROM_THE_REPLY("aLeaseCountsFromTheSendingOfTheRequest") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    CompletableFuture<Optional<Grant>> reply = new CompletableFuture<>();
                    var unused = super.acquire(claim)
                            .thenAccept(answer -> shared.environment()
                                    .scheduler()
                                    .schedule(() -> reply.complete(answer.map(this::countedFromNow)), 5_000_000));
                    return reply;
                }

                private Grant countedFromNow(Grant grant) {
                    return new Grant(
                            grant.claim(),
                            grant.firstToken(),
                            grant.tokens(),
                            shared.environment().ticker().now(),
                            grant.lease());
                }
            };
        }
    },
    WAKE_UP_IS_LOST("aReleaseWakesTheWaiter") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                    return answer.isDone() ? answer : new CompletableFuture<>();
                }
            };
        }
    },
    LEASE_NEVER_ENDS("aLeaseEndsByItselfAndNotBefore") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(withLease(claim, Duration.ofHours(1)));
                }
            };
        }
    },
    LEASE_ENDS_EARLY("aLeaseEndsByItselfAndNotBefore") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(withLease(claim, claim.lease().dividedBy(2)))
                            .thenApply(answer -> answer.map(grant -> new Grant(
                                    claim, grant.firstToken(), grant.tokens(), grant.countsFrom(), claim.lease())));
                }
            };
        }
    },
    RELEASE_OF_UNKNOWN_OUTCOME_IS_LOST("canBeRepeatedUntilItIsAnswered") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                private final Set<ClaimId> done = ConcurrentHashMap.newKeySet();

                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    return done.add(claim.id())
                            ? CompletableFuture.failedFuture(new TimeoutException("planted"))
                            : CompletableFuture.completedFuture(true);
                }
            };
        }
    },
    EVERY_RELEASE_MAKES_ALL_WAITERS_ASK("commandsPerSectionDoNotGrowWithTheNumberOfWaiters") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    CompletableFuture<Optional<Grant>> answer = super.acquire(claim);
                    if (!answer.isDone()) {
                        shared.waiting.put(claim.id(), claim);
                        return answer.whenComplete((grant, failure) -> shared.waiting.remove(claim.id()));
                    }
                    return answer;
                }

                @Override
                public CompletableFuture<Boolean> release(Claim claim) {
                    shared.commands.addAndGet(shared.waiting.size());
                    return super.release(claim);
                }
            };
        }
    },
    NAMES_ARE_FOLDED_TO_LOWER_CASE("areExact") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return names(store, name -> name.toLowerCase(Locale.ROOT));
        }
    },
    NAMES_ARE_TRIMMED("areExact") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return names(store, String::strip);
        }
    },
    HELD_NAME_IS_GRANTED_AGAIN("aHeldNameIsRefused") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return names(store, name -> name + "#" + shared.commands.incrementAndGet());
        }
    },
    RENEWAL_BRINGS_BACK_THE_DEAD("neverBringsBackALeaseThatIsOver") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    return super.renew(renewals)
                            .thenApply(outcomes -> outcomes.stream()
                                    .map(outcome -> RenewalRequest.Outcome.KEPT)
                                    .toList());
                }
            };
        }
    },
    RENEWAL_SHORTENS("neverShortens") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    for (RenewalRequest renewal : renewals) {
                        if (renewal.lease().compareTo(renewal.claim().lease()) < 0) {
                            shared.environment()
                                    .scheduler()
                                    .schedule(
                                            () -> {
                                                var unused = super.release(renewal.claim());
                                            },
                                            renewal.lease().toNanos());
                        }
                    }
                    return super.renew(renewals);
                }
            };
        }
    },
    RENEWALS_ARE_ANSWERED_IN_ANY_ORDER("answersABatchInItsOrder") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
                    return super.renew(renewals)
                            .thenApply(outcomes -> outcomes.stream().sorted().toList());
                }
            };
        }
    },
    CLAIM_THAT_ASKS_AGAIN_IS_A_STRANGER("aGrantedClaimThatAsksAgainFindsItsOwnGrant") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(
                            withId(claim, new ClaimId(claim.id().random(), -shared.commands.incrementAndGet())));
                }
            };
        }
    },
    WITHDRAWN_CLAIM_STAYS_IN_THE_QUEUE("ofAWaitingClaimWithdrawsIt") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
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
                    return granted.contains(claim.id())
                            ? super.release(claim)
                            : CompletableFuture.completedFuture(false);
                }
            };
        }
    },
    QUEUE_IS_A_STACK("waitersAreServedInTheOrderOfTheirArrival") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new LastComeFirstServed(store, shared.stacks);
        }
    },
    PERMITS_ARE_COUNTED_BY_CLAIMS("clientsAtOnceNeverHoldMoreThanThereIs") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                    return super.acquire(new Claim(
                            claim.name(),
                            claim.id(),
                            claim.mode(),
                            1,
                            claim.capacity(),
                            claim.lease(),
                            claim.tokens(),
                            claim.owner()));
                }
            };
        }
    },
    REVOCATION_HITS_THE_SUCCESSOR("takesTheNameFromThatHolderOnly") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<Boolean> revoke(String name, long token) {
                    return store.inspect(NameFilter.exactly(name))
                            .thenCompose(infos -> infos.isEmpty()
                                    ? super.revoke(name, token)
                                    : super.revoke(
                                            name, infos.get(0).holders().get(0).token()));
                }
            };
        }
    },
    PREFIX_IS_A_PATTERN("findsNamesByTheirBeginningAndStopsAtTheLimit") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return new ForwardingStore(store) {
                @Override
                public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
                    String like = Pattern.quote(filter.text())
                            .replace("%", "\\E.*\\Q")
                            .replace("_", "\\E.\\Q");
                    Pattern pattern = Pattern.compile(like + ".*");
                    return super.inspect(NameFilter.startingWith("", 1_000))
                            .thenApply(infos -> infos.stream()
                                    .filter(info -> pattern.matcher(info.name()).matches())
                                    .limit(filter.limit())
                                    .toList());
                }
            };
        }
    },
    FOUND_AGAIN_MEANS_A_NEW_LEASE("aGrantedClaimThatAsksAgainFindsItsOwnGrant") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return grants(
                    store,
                    grant -> new Grant(
                            grant.claim(),
                            grant.firstToken(),
                            grant.tokens(),
                            grant.countsFrom(),
                            grant.claim().lease()));
        }
    },
    INSPECTION_SHOWS_THE_WRONG_TOKEN("showsWhoHoldsAndHowManyWait") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return holders(
                    store,
                    holder -> new LockInfo.Holder(
                            holder.owner(),
                            holder.mode(),
                            holder.permits(),
                            holder.token() + 1,
                            holder.tokenCount(),
                            holder.age(),
                            holder.remaining()));
        }
    },
    WAITERS_ARE_COUNTED_BUT_NOT_SHOWN("showsWhoHoldsAndHowManyWait") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return queues(store, queue -> List.of());
        }
    },
    QUEUE_IS_SHOWN_BACKWARDS("waitersAreServedInTheOrderOfTheirArrival") {
        @Override
        public LockStore breakIt(LockStore store, Shared shared) {
            return queues(store, queue -> {
                List<LockInfo.Waiting> backwards = new ArrayList<>(queue);
                Collections.reverse(backwards);
                return backwards;
            });
        }
    };

    private final String caughtBy;

    Broken(String caughtBy) {
        this.caughtBy = caughtBy;
    }

    @Override
    public String caughtBy() {
        return caughtBy;
    }

    /** What the clients of one broken store have in common. */
    static final class Shared {
        final String url = "memory:broken-" + UUID.randomUUID();
        final AtomicLong commands = new AtomicLong();
        final Set<String> contended = ConcurrentHashMap.newKeySet();
        final Map<ClaimId, Claim> waiting = new ConcurrentHashMap<>();
        final Map<String, LastComeFirstServed.Stack> stacks = new ConcurrentHashMap<>();
        private final Map<String, Long> firstTokens = new ConcurrentHashMap<>();
        private final Map<String, AtomicLong> counters = new ConcurrentHashMap<>();
        private volatile @Nullable Environment environment;

        LockStore open(PlantedBug how, Environment its) {
            environment = its;
            return new CountingStore(how.breakIt(new MemoryStoreProvider().open(url, its), this), commands);
        }

        Environment environment() {
            return Objects.requireNonNull(environment);
        }

        /** The {@code token} with which it was first called for that name. */
        long firstOf(String name, long token) {
            return firstTokens.computeIfAbsent(name, key -> token);
        }

        void forgetFirstOf(String name) {
            firstTokens.remove(name);
        }

        AtomicLong counter(String name) {
            return counters.computeIfAbsent(name, key -> new AtomicLong(1));
        }
    }

    static LockStore grants(LockStore store, UnaryOperator<Grant> change) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                return super.acquire(claim).thenApply(answer -> answer.map(change));
            }
        };
    }

    static LockStore holders(LockStore store, UnaryOperator<LockInfo.Holder> change) {
        return infos(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.kind(),
                        info.permits(),
                        info.holders().stream().map(change).toList(),
                        info.waiters(),
                        info.queue()));
    }

    private static LockStore queues(LockStore store, UnaryOperator<List<LockInfo.Waiting>> change) {
        return infos(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.kind(),
                        info.permits(),
                        info.holders(),
                        info.waiters(),
                        change.apply(info.queue())));
    }

    private static LockStore infos(LockStore store, UnaryOperator<LockInfo> change) {
        return new ForwardingStore(store) {
            @Override
            public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
                return super.inspect(filter)
                        .thenApply(infos -> infos.stream().map(change).toList());
            }
        };
    }

    /** A store that takes one name for another. */
    private static LockStore names(LockStore store, UnaryOperator<String> change) {
        return new ForwardingStore(store) {
            private final Map<ClaimId, String> changed = new ConcurrentHashMap<>();

            @Override
            public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
                String name = changed.computeIfAbsent(claim.id(), id -> change.apply(claim.name()));
                return super.acquire(withName(claim, name));
            }

            @Override
            public CompletableFuture<Boolean> release(Claim claim) {
                return super.release(withName(claim, changed.getOrDefault(claim.id(), claim.name())));
            }
        };
    }

    static Grant withToken(Grant grant, long token) {
        return new Grant(grant.claim(), token, grant.tokens(), grant.countsFrom(), grant.lease());
    }

    static Claim withLease(Claim claim, Duration lease) {
        return copy(claim, claim.name(), claim.id(), lease);
    }

    private static Claim withId(Claim claim, ClaimId id) {
        return copy(claim, claim.name(), id, claim.lease());
    }

    private static Claim withName(Claim claim, String name) {
        return copy(claim, name, claim.id(), claim.lease());
    }

    private static Claim copy(Claim claim, String name, ClaimId id, Duration lease) {
        return new Claim(name, id, claim.mode(), claim.units(), claim.capacity(), lease, claim.tokens(), claim.owner());
    }
}
