package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Several clients that compete for one name without the engine, and whose leases end in every way there is. */
final class LeaseContention {

    private static final int CLIENTS = 3;
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);

    /** How the holder's lease ends. */
    enum Ending {
        /** It is released. */
        RELEASE,
        /** It is renewed, then released. */
        RENEW,
        /** It is renewed, held for longer than without the renewal, then released. */
        OUTLIVE,
        /** It runs out, and the holder learns of it when it is granted its next claim. */
        RUN_OUT,
        /** It is revoked by another client, before its holder renews and releases it or at the same moment. */
        REVOKE
    }

    /** What the claims are for. */
    enum Kind {
        EXCLUSIVE(1),
        READERS_AND_WRITERS(Claim.READ_WRITE),
        PERMITS(3);

        private final int capacity;

        Kind(int capacity) {
            this.capacity = capacity;
        }

        /** How much the claim of a round takes: two of five writers, or one to three permits. */
        private int units(int round) {
            return switch (this) {
                case EXCLUSIVE -> 1;
                case READERS_AND_WRITERS -> round % 5 == 2 || round % 5 == 4 ? capacity : 1;
                case PERMITS -> 1 + round % 5 % 3;
            };
        }

        private Model<?> model() {
            return switch (this) {
                case EXCLUSIVE -> Model.fencedMutex();
                case READERS_AND_WRITERS -> Model.readWrite(capacity);
                case PERMITS -> Model.semaphore(capacity);
            };
        }
    }

    private final String name;
    private final Kind kind;
    private final Duration lease;
    private final List<Ending> endings;
    private final int rounds;
    private final Ticker ticker = Ticker.system();
    private final History history = new History(ticker);
    private final Queue<Span> beliefs = new ConcurrentLinkedQueue<>();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger(CLIENTS);
    private final AtomicInteger asking = new AtomicInteger();

    /** Each client goes through {@code endings} again and again, from different ones on, for that many rounds. */
    LeaseContention(String name, Kind kind, Duration lease, int rounds, Ending... endings) {
        this.name = name;
        this.kind = kind;
        this.lease = lease;
        this.rounds = rounds;
        this.endings = List.of(endings);
    }

    void run(Supplier<Client> clients) throws Exception {
        CyclicBarrier start = new CyclicBarrier(CLIENTS);
        List<Competitor> competitors = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            competitors.add(new Competitor(i, clients.get()));
        }
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Competitor one = competitors.get(i);
                Competitor other = competitors.get((i + 1) % CLIENTS);
                work.add(pool.submit(() -> one.compete(other, start)));
            }
            for (Future<?> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        competitors.forEach(each -> each.store.operations().forEach(history::add));
    }

    /** What the clients believed, by their tokens; and what the store has answered, by its tokens and the model. */
    List<String> violations() {
        List<String> violations = new ArrayList<>();
        if (kind == Kind.EXCLUSIVE) {
            violations.addAll(TokenSweep.check(List.copyOf(beliefs)));
        }
        violations.addAll(TokenBlocks.check(history.operations()));
        violations.addAll(
                Linearizability.check(kind.model(), history.operations()).violations());
        return violations;
    }

    int grants() {
        return grants.get();
    }

    /** One client at work. */
    private final class Competitor {
        private final int number;
        private final Client client;
        private final RecordingStore store;
        private @Nullable Grant ranOut;

        Competitor(int number, Client client) {
            this.number = number;
            this.client = client;
            this.store = new RecordingStore(client.store(), ticker);
        }

        Void compete(Competitor other, CyclicBarrier start) throws Exception {
            start.await();
            for (int i = 0; i < rounds; i++) {
                int units = kind.units(i + 2 * number);
                Claim claim = client.claim(name, Claim.Mode.WAIT, lease, units, kind.capacity);
                asking.incrementAndGet();
                Optional<Grant> grant = answer(store.acquire(claim)).flatMap(granted -> granted);
                asking.decrementAndGet();
                if (grant.isPresent()) {
                    grants.incrementAndGet();
                    endWhatRanOut();
                    hold(grant.get(), endings.get((i + 2 * number) % endings.size()), i, other);
                } else {
                    // It has failed, which means unknown. The next claim must not wait for it.
                    answer(store.release(claim));
                }
            }
            active.decrementAndGet();
            endWhatRanOut();
            return null;
        }

        private void hold(Grant grant, Ending ending, int round, Competitor other) {
            long from = ticker.nanos();
            long until = grant.countsFrom().nanos() + RecordingStore.reliable(grant.lease());
            letOthersQueue();
            switch (ending) {
                case RELEASE -> release(grant, from, until);
                case RENEW -> release(grant, from, renew(grant, lease).orElse(from));
                case OUTLIVE -> outlive(grant, from);
                case RUN_OUT -> {
                    believe(grant, from, until);
                    ranOut = grant;
                }
                case REVOKE -> {
                    believe(grant, from, Math.min(until, ticker.nanos()));
                    revoke(grant, round, other);
                }
            }
        }

        /** Until all others ask for the name, or long enough if some of them hold it too. */
        private void letOthersQueue() {
            long end = ticker.nanos() + Math.min(LONGEST_PAUSE.toNanos(), lease.toNanos() / 4);
            while (asking.get() < active.get() - 1 && ticker.nanos() - end < 0) {
                Thread.onSpinWait();
            }
            // Their requests are under way.
            StoreCases.letPass(Duration.ofMillis(1));
        }

        private void release(Grant grant, long from, long until) {
            believe(grant, from, Math.min(until, ticker.nanos()));
            answer(store.release(grant.claim()));
        }

        private void outlive(Grant grant, long from) {
            Optional<Long> until = renew(grant, lease.multipliedBy(3));
            if (until.isPresent()) {
                long enough = from + lease.toNanos() + lease.toNanos() / 5;
                StoreCases.letPass(Duration.ofNanos(Math.max(0, enough - ticker.nanos())));
            }
            release(grant, from, until.orElse(from));
        }

        /** Until when the holder may believe in its lease now; empty if it is gone or nobody knows. */
        private Optional<Long> renew(Grant grant, Duration longer) {
            long sent = ticker.nanos();
            return answer(store.renew(List.of(new RenewalRequest(grant.claim(), longer))))
                    .filter(outcomes -> outcomes.get(0) == RenewalRequest.Outcome.KEPT)
                    .map(kept -> sent + RecordingStore.reliable(longer));
        }

        private void revoke(Grant grant, int round, Competitor other) {
            // Every token of the block means the holder.
            long token = grant.firstToken() + round % grant.tokens();
            if (round % 2 == 0) {
                answer(other.store.revoke(name, token));
            }
            CompletableFuture<Boolean> revocation = other.store.revoke(name, token);
            CompletableFuture<List<RenewalRequest.Outcome>> renewal =
                    store.renew(List.of(new RenewalRequest(grant.claim(), lease)));
            CompletableFuture<Boolean> release = store.release(grant.claim());
            answer(revocation);
            answer(renewal);
            answer(release);
        }

        /** The store has to say that it is gone as soon as it has granted the name to somebody else. */
        private void endWhatRanOut() {
            if (ranOut != null) {
                renew(ranOut, lease);
                answer(store.release(ranOut.claim()));
                ranOut = null;
            }
        }

        /** Empty if the store failed: the outcome is unknown, and is recorded as such. */
        private <T> Optional<T> answer(CompletableFuture<T> future) {
            return client.await(future.handle((value, failure) -> Optional.ofNullable(value)));
        }

        private void believe(Grant grant, long from, long to) {
            if (to > from) {
                beliefs.add(new Span(name, grant.firstToken(), "client-" + (number + 1), from, to));
            }
        }
    }
}
