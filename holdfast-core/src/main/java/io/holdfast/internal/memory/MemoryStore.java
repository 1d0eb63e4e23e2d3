package io.holdfast.internal.memory;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keyed in-JVM lock: one client of a {@link Space} that clients in the same JVM may share. A name without holder
 * and waiter leaves nothing behind.
 */
public final class MemoryStore implements LockStore, DirectStore {

    /*
     * Every change to a name's ledger happens inside ConcurrentHashMap.compute for that name, which is atomic; an empty
     * ledger is removed in the same step. Futures are completed after compute has returned, so no foreign code runs
     * inside it. A grant made by one client's release is completed by that client's thread for the other client: direct
     * hand-off, no second look.
     *
     * Expiry needs no thread of the space: the first of the queue watches the end of the present leases on the scheduler of
     * its own client, so leases of a client that is gone still end for those who wait. Every change of a name with a queue
     * ensures that for the claim that is the first then.
     */
    private final String name;
    private final Space space;
    private final Environment environment;
    private final Ticker ticker;
    private final Runnable onClose;
    private final long startedAt;
    private final long wallAtStart;
    private final AtomicBoolean closed = new AtomicBoolean();

    MemoryStore(String name, Space space, Environment environment, Runnable onClose) {
        this.name = name;
        this.space = space;
        this.environment = environment;
        this.ticker = environment.ticker();
        this.startedAt = ticker.nanos();
        this.wallAtStart = ticker.wallMicros();
        this.onClose = onClose;
    }

    /** A private space of its own. */
    public static MemoryStore open(Environment environment) {
        return new MemoryStore("memory:", new Space(), environment, () -> {});
    }

    /** What the clients of one {@code memory:NAME} share. */
    static final class Space {
        private static final int SWEEP_AFTER = 1_024;

        final ConcurrentHashMap<String, Ledger> ledgers = new ConcurrentHashMap<>();
        final Map<ClaimId, Waiting> waiting = new ConcurrentHashMap<>();
        final TokenClock tokens = new TokenClock();
        /** Counts claims; not atomic, because a few more or less do not matter. */
        private int sinceSweep;

        /** Every so many claims, in step with how many names there are, so that its cost stays the same per claim. */
        boolean isTimeToSweep() {
            int count = ++sinceSweep;
            if (count < SWEEP_AFTER || count < ledgers.mappingCount()) {
                return false;
            }
            sinceSweep = 0;
            return true;
        }

        /** Forgets names whose holders let their leases run out and that were not requested since. */
        void sweep(long now) {
            for (String lockName : ledgers.keySet()) {
                ledgers.computeIfPresent(lockName, (key, ledger) -> {
                    // Where somebody waits, the first of them looks at the clock, and is promoted then.
                    if (!ledger.hasQueue()) {
                        ledger.expire(now);
                    }
                    return ledger.isEmpty() ? null : ledger;
                });
            }
        }
    }

    /** A claim in the queue. While it is the first, it looks when the present leases end. */
    static final class Waiting {
        private final MemoryStore client;
        private final Claim claim;
        private final CompletableFuture<Optional<Grant>> answer;
        private Scheduler.@Nullable Task timer;
        private long timerAt;

        Waiting(MemoryStore client, Claim claim, CompletableFuture<Optional<Grant>> answer) {
            this.client = client;
            this.claim = claim;
            this.answer = answer;
        }

        /** Under the atomic step of the name: looks again in {@code delay}, unless it does so sooner anyway. */
        void lookIn(long delay, long now) {
            if (timer == null || now + delay - timerAt < 0) {
                stop();
                timerAt = now + delay;
                timer = client.environment.scheduler().schedule(this::look, delay);
            }
        }

        /** Under the atomic step of the name. */
        void stop() {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }

        private void look() {
            client.change(claim.name(), client.ticker.now(), ledger -> {
                timer = null;
                return null;
            });
        }
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        Moment now = ticker.now();
        if (space.isTimeToSweep()) {
            space.sweep(now.nanos());
        }
        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        Ledger.@Nullable Held held;
        try {
            held = change(claim.name(), now, ledger -> request(ledger, claim, now, answer));
        } catch (RefusedException anotherSize) {
            return CompletableFuture.failedFuture(anotherSize);
        }
        if (held != null) {
            answer.complete(Optional.of(grant(held, now)));
        } else if (claim.mode() == Claim.Mode.TRY) {
            answer.complete(Optional.empty());
        }
        return answer;
    }

    @Override
    public @Nullable Grant grantNow(Claim claim, long now) {
        if (space.isTimeToSweep()) {
            space.sweep(now);
        }
        DirectGrant step = new DirectGrant(claim, now);
        space.ledgers.compute(claim.name(), step);
        Ledger.Held held = step.held;
        return held == null
                ? null
                : new Grant(claim, held.block().first(), held.block().size(), new Moment(now, 0), claim.lease());
    }

    @Override
    public @Nullable Boolean releaseNow(Claim claim) {
        DirectRelease step = new DirectRelease(claim);
        space.ledgers.computeIfPresent(claim.name(), step);
        return step.held;
    }

    /** Without a queue there is no claim to promote, and so no future to complete. */
    private final class DirectGrant implements BiFunction<String, @Nullable Ledger, @Nullable Ledger> {
        private final Claim claim;
        private final long now;
        private Ledger.@Nullable Held held;

        DirectGrant(Claim claim, long now) {
            this.claim = claim;
            this.now = now;
        }

        @Override
        public @Nullable Ledger apply(String lockName, @Nullable Ledger present) {
            if (present == null) {
                Ledger fresh = new Ledger(space.tokens);
                held = fresh.request(claim, now, micros(now));
                return fresh;
            }
            present.expire(now);
            if (!present.hasQueue() && present.fits(claim)) {
                held = present.request(claim, now, micros(now));
            }
            return present.isEmpty() ? null : present;
        }
    }

    private static final class DirectRelease implements BiFunction<String, Ledger, @Nullable Ledger> {
        private final Claim claim;
        private @Nullable Boolean held;

        DirectRelease(Claim claim) {
            this.claim = claim;
        }

        @Override
        public @Nullable Ledger apply(String lockName, Ledger present) {
            if (!present.hasQueue()) {
                held = present.release(claim.id());
            }
            return present.isEmpty() ? null : present;
        }
    }

    /** Microseconds on the wall clock, as far as the monotonic clock can tell: finer, and one reading less. */
    private long micros(long nanos) {
        return wallAtStart + (nanos - startedAt) / 1_000;
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        Moment now = ticker.now();
        List<RenewalRequest.Outcome> outcomes = new ArrayList<>(renewals.size());
        for (RenewalRequest renewal : renewals) {
            Claim claim = renewal.claim();
            Boolean kept = change(claim.name(), now, ledger -> ledger.renew(renewal, now.nanos()));
            outcomes.add(Boolean.TRUE.equals(kept) ? RenewalRequest.Outcome.KEPT : RenewalRequest.Outcome.GONE);
        }
        return CompletableFuture.completedFuture(outcomes);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        Waiting[] withdrawn = {null};
        Boolean held = change(claim.name(), ticker.now(), ledger -> {
            if (ledger.isQueued(claim.id())) {
                withdrawn[0] = withdraw(claim.id());
            }
            return ledger.release(claim.id());
        });
        if (withdrawn[0] != null) {
            withdrawn[0].answer.complete(Optional.empty());
        }
        return CompletableFuture.completedFuture(held);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        Moment now = ticker.now();
        return CompletableFuture.completedFuture(
                change(claim.name(), now, ledger -> ledger.shorten(claim.id(), lease.toNanos(), now.nanos())));
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

    /** How many names there is a record of. */
    public int names() {
        return space.ledgers.size();
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(name, Capabilities.Queue.FIFO, Capabilities.Sharing.UNITS);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }

    private Ledger.@Nullable Held request(
            Ledger ledger, Claim claim, Moment now, CompletableFuture<Optional<Grant>> answer) {
        Ledger.Held own = ledger.request(claim, now.nanos(), micros(now.nanos()));
        if (own == null && claim.mode() == Claim.Mode.WAIT) {
            Waiting before = space.waiting.put(claim.id(), new Waiting(this, claim, answer));
            if (before != null) {
                before.stop();
            }
        }
        return own;
    }

    private @Nullable Waiting withdraw(ClaimId id) {
        Waiting gone = space.waiting.remove(id);
        if (gone != null) {
            gone.stop();
        }
        return gone;
    }

    /** Expires, applies {@code step}, promotes; then, outside of the atomic part, completes the futures of those that were promoted. */
    private <T extends @Nullable Object> T change(String lockName, Moment now, Function<Ledger, T> step) {
        Change<T> change = new Change<>(now, step);
        try {
            space.ledgers.compute(lockName, change);
        } finally {
            for (int i = 0; i < change.toComplete.size(); i++) {
                change.toComplete.get(i).answer.complete(Optional.of(grant(change.promoted.get(i), now)));
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
        private List<Waiting> toComplete = List.of();

        Change(Moment now, Function<Ledger, T> step) {
            this.now = now;
            this.step = step;
        }

        @Override
        public @Nullable Ledger apply(String lockName, @Nullable Ledger present) {
            Ledger ledger = present == null ? new Ledger(space.tokens) : present;
            ledger.expire(now.nanos());
            promote(ledger);
            try {
                result = step.apply(ledger);
                promote(ledger);
            } finally {
                watch(ledger);
            }
            return ledger.isEmpty() ? null : ledger;
        }

        /** Also after a step that failed: a claim that was promoted before it has left the queue to a new head. */
        private void watch(Ledger ledger) {
            ClaimId head = ledger.head();
            Waiting first = head == null ? null : space.waiting.get(head);
            if (first != null) {
                first.lookIn(Math.max(0, ledger.nanosToFirstEnd(now.nanos())), now.nanos());
            }
        }

        private void promote(Ledger ledger) {
            for (Ledger.Held held : ledger.promote(now.nanos(), micros(now.nanos()))) {
                Waiting waiting = withdraw(held.claim().id());
                if (waiting != null) {
                    if (toComplete.isEmpty()) {
                        toComplete = new ArrayList<>(1);
                        promoted = new ArrayList<>(1);
                    }
                    toComplete.add(waiting);
                    promoted.add(held);
                }
            }
        }

        @SuppressWarnings("NullAway") // apply has run: the result is what step returned, null included
        T result() {
            return result;
        }
    }

    private void look(String lockName, long now, List<LockInfo> infos) {
        space.ledgers.computeIfPresent(lockName, (key, ledger) -> {
            LockInfo info = ledger.describe(key, now);
            if (!info.isFree() || info.waiters() > 0) {
                infos.add(info);
            }
            return ledger;
        });
    }

    private static Grant grant(Ledger.Held held, Moment now) {
        return new Grant(held.claim(), held.block().first(), held.block().size(), now, held.left(now.nanos()));
    }
}
