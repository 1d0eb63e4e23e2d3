package io.holdfast.internal;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keyed in-JVM lock: one client of a {@link Space} that clients in the same JVM may share. A name that nobody holds
 * or waits for leaves nothing behind.
 */
public final class MemoryStore implements LockStore {

    /*
     * Every change to a name's ledger happens inside ConcurrentHashMap.compute for that name, which is atomic; an empty
     * ledger is removed in the same step. Futures are completed after compute has returned, so no foreign code runs
     * inside it. A grant made by one client's release is completed by that client's thread for the other client: direct
     * hand-off, no second look.
     *
     * Expiry needs no thread of the space: each waiting claim watches the end of the present lease on the scheduler of
     * its own client, so leases of a client that is gone still end for those who wait.
     */
    private final String name;
    private final Space space;
    private final Environment environment;
    private final Ticker ticker;
    private final Runnable onClose;

    MemoryStore(String name, Space space, Environment environment, Runnable onClose) {
        this.name = name;
        this.space = space;
        this.environment = environment;
        this.ticker = environment.ticker();
        this.onClose = onClose;
    }

    /** A private space of its own. */
    public static MemoryStore open(Environment environment) {
        return new MemoryStore("memory:", new Space(), environment, () -> {});
    }

    /** What the clients of one {@code memory:NAME} share. */
    static final class Space {
        final Map<String, Ledger> ledgers = new ConcurrentHashMap<>();
        final Map<ClaimId, CompletableFuture<Optional<Grant>>> waiting = new ConcurrentHashMap<>();
        final TokenClock tokens = new TokenClock();

        boolean isIdle() {
            return ledgers.isEmpty();
        }
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        Moment now = ticker.now();
        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        Ledger.@Nullable Held held = change(claim.name(), now, ledger -> {
            Ledger.Held own = ledger.ask(claim, now.nanos(), now.wallMicros());
            if (own == null && claim.mode() == Claim.Mode.WAIT) {
                space.waiting.put(claim.id(), answer);
            }
            return own;
        });
        if (held != null) {
            answer.complete(Optional.of(grant(held, now)));
        } else if (claim.mode() == Claim.Mode.TRY) {
            answer.complete(Optional.empty());
        } else {
            watchExpiry(claim);
        }
        return answer;
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        Moment now = ticker.now();
        List<Renewal.Outcome> outcomes = new ArrayList<>(renewals.size());
        for (Renewal renewal : renewals) {
            Claim claim = renewal.claim();
            Boolean kept = change(claim.name(), now, ledger -> ledger.renew(claim.id(), renewal.lease(), now.nanos()));
            outcomes.add(Boolean.TRUE.equals(kept) ? Renewal.Outcome.KEPT : Renewal.Outcome.GONE);
        }
        return CompletableFuture.completedFuture(outcomes);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        Boolean held = change(claim.name(), ticker.now(), ledger -> ledger.release(claim.id()));
        CompletableFuture<Optional<Grant>> waiting = space.waiting.remove(claim.id());
        if (waiting != null) {
            waiting.complete(Optional.empty());
        }
        return CompletableFuture.completedFuture(held);
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        long now = ticker.nanos();
        List<LockInfo> infos = new ArrayList<>();
        if (filter.match() == NameFilter.Match.EXACT) {
            look(filter.text(), now, infos);
        } else {
            for (String candidate : space.ledgers.keySet()) {
                if (infos.size() < filter.limit() && filter.matches(candidate)) {
                    look(candidate, now, infos);
                }
            }
        }
        return CompletableFuture.completedFuture(infos);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String lockName, long token) {
        return CompletableFuture.completedFuture(change(lockName, ticker.now(), ledger -> ledger.revoke(token)));
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(name, Capabilities.Queue.FIFO, Capabilities.Sharing.UNITS);
    }

    @Override
    public void close() {
        onClose.run();
    }

    /** Lets a waiting claim look again when the present lease ends, for as long as it waits. */
    private void watchExpiry(Claim claim) {
        long now = ticker.nanos();
        long[] delay = {Long.MAX_VALUE};
        space.ledgers.computeIfPresent(claim.name(), (key, ledger) -> {
            if (ledger.isQueued(claim.id())) {
                delay[0] = ledger.nanosToFirstEnd(now);
            }
            return ledger;
        });
        if (delay[0] != Long.MAX_VALUE) {
            environment
                    .scheduler()
                    .schedule(
                            () -> {
                                change(claim.name(), ticker.now(), ledger -> null);
                                watchExpiry(claim);
                            },
                            delay[0]);
        }
    }

    /** Expires, applies {@code step}, promotes; then, outside of the atomic part, tells those who were promoted. */
    private <T extends @Nullable Object> T change(String lockName, Moment now, Function<Ledger, T> step) {
        Change<T> change = new Change<>(now, step);
        space.ledgers.compute(lockName, change);
        for (Ledger.Held held : change.promoted) {
            CompletableFuture<Optional<Grant>> waiting =
                    space.waiting.remove(held.claim().id());
            if (waiting != null) {
                waiting.complete(Optional.of(grant(held, now)));
            }
        }
        return change.result();
    }

    private final class Change<T extends @Nullable Object>
            implements BiFunction<String, @Nullable Ledger, @Nullable Ledger> {

        private final Moment now;
        private final Function<Ledger, T> step;
        private @Nullable T result;
        private List<Ledger.Held> promoted = List.of();

        Change(Moment now, Function<Ledger, T> step) {
            this.now = now;
            this.step = step;
        }

        @Override
        public @Nullable Ledger apply(String lockName, @Nullable Ledger present) {
            Ledger ledger = present == null ? new Ledger(space.tokens) : present;
            ledger.expire(now.nanos());
            promoted = ledger.promote(now.nanos(), now.wallMicros());
            result = step.apply(ledger);
            List<Ledger.Held> more = ledger.promote(now.nanos(), now.wallMicros());
            if (!more.isEmpty()) {
                promoted = new ArrayList<>(promoted);
                promoted.addAll(more);
            }
            return ledger.isEmpty() ? null : ledger;
        }

        @SuppressWarnings("NullAway") // apply has run: the result is what step returned, null included
        T result() {
            return result;
        }
    }

    private void look(String lockName, long now, List<LockInfo> infos) {
        space.ledgers.computeIfPresent(lockName, (key, ledger) -> {
            LockInfo info = ledger.describe(key, now);
            List<LockInfo.Holder> live = info.holders().stream()
                    .filter(holder -> !holder.remaining().isNegative()
                            && !holder.remaining().isZero())
                    .toList();
            if (!live.isEmpty() || info.waiters() > 0) {
                infos.add(new LockInfo(key, live, info.waiters()));
            }
            return ledger;
        });
    }

    private static Grant grant(Ledger.Held held, Moment now) {
        return new Grant(held.claim(), held.block().first(), held.block().size(), now, held.left(now.nanos()));
    }
}
