package io.holdfast.tck;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.tck.Operation.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store that remembers what it was asked and what it said. Each claim is a client of its own. */
final class RecordingStore extends ForwardingStore {

    private record Answer<T>(T value, long at) {}

    private static final class Request<T> {
        final Claim claim;
        final long called;
        volatile @Nullable Answer<T> answer;

        Request(Claim claim, long called) {
            this.claim = claim;
            this.called = called;
        }
    }

    private static final class Revocation {
        final String name;
        final long token;
        final long called;
        volatile @Nullable Answer<Boolean> answer;

        Revocation(String name, long token, long called) {
            this.name = name;
            this.token = token;
            this.called = called;
        }
    }

    private final Ticker ticker;
    private final Queue<Request<Optional<Grant>>> acquires = new ConcurrentLinkedQueue<>();
    private final Queue<Request<Boolean>> releases = new ConcurrentLinkedQueue<>();
    private final Queue<Request<RenewalRequest.Outcome>> renewals = new ConcurrentLinkedQueue<>();
    private final Queue<Revocation> revocations = new ConcurrentLinkedQueue<>();
    private final Map<ClaimId, Long> keptUntil = new ConcurrentHashMap<>();

    RecordingStore(LockStore store, Ticker ticker) {
        super(store);
        this.ticker = ticker;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        return record(acquires, claim, () -> super.acquire(claim));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return record(releases, claim, () -> super.release(claim));
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> batch) {
        long sent = ticker.nanos();
        List<Request<RenewalRequest.Outcome>> requests = batch.stream()
                .map(renewal -> new Request<RenewalRequest.Outcome>(renewal.claim(), sent))
                .toList();
        renewals.addAll(requests);
        return super.renew(batch).thenApply(outcomes -> {
            long answered = ticker.nanos();
            for (int i = 0; i < outcomes.size(); i++) {
                requests.get(i).answer = new Answer<>(outcomes.get(i), answered);
                if (outcomes.get(i) == RenewalRequest.Outcome.KEPT) {
                    RenewalRequest renewal = batch.get(i);
                    keptUntil.merge(renewal.claim().id(), sent + reliable(renewal.lease()), Math::max);
                }
            }
            return outcomes;
        });
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        Revocation request = new Revocation(name, token, ticker.nanos());
        revocations.add(request);
        return super.revoke(name, token).whenComplete((ended, failure) -> {
            if (failure == null) {
                request.answer = new Answer<>(ended, ticker.nanos());
            }
        });
    }

    private <T> CompletableFuture<T> record(
            Queue<Request<T>> requests, Claim claim, Supplier<CompletableFuture<T>> call) {
        Request<T> request = new Request<>(claim, ticker.nanos());
        requests.add(request);
        return call.get().whenComplete((value, failure) -> {
            if (failure == null) {
                request.answer = new Answer<>(value, ticker.nanos());
            }
        });
    }

    /** What has been asked so far. What has not been answered is of unknown outcome. */
    List<Operation> operations() {
        // Acquires are read first: the release that made room for one was noted before it was granted.
        Map<ClaimId, List<Request<Optional<Grant>>>> byClaim =
                acquires.stream().collect(groupingBy(request -> request.claim.id(), LinkedHashMap::new, toList()));
        List<Operation> operations = new ArrayList<>();
        Map<ClaimId, OptionalLong> tokens = new HashMap<>();
        byClaim.values().forEach(requests -> tokens.put(requests.get(0).claim.id(), addAcquire(requests, operations)));
        releases.forEach(request ->
                operations.add(release(request, tokens.getOrDefault(request.claim.id(), OptionalLong.empty()))));
        renewals.forEach(request ->
                operations.add(renew(request, tokens.getOrDefault(request.claim.id(), OptionalLong.empty()))));
        revocations.forEach(request -> operations.add(revoke(request)));
        return operations;
    }

    /** One, however often the claim has asked, because it is granted only once. */
    private OptionalLong addAcquire(List<Request<Optional<Grant>>> requests, List<Operation> operations) {
        Claim claim = requests.get(0).claim;
        long called = requests.get(0).called;
        long mayExpire = called + reliable(claim.lease());
        OptionalLong token = OptionalLong.empty();
        int tokens = 1;
        Outcome outcome = Outcome.REFUSED;
        long returned = called;
        for (Request<Optional<Grant>> request : requests) {
            Answer<Optional<Grant>> answer = request.answer;
            if (answer == null) {
                outcome = Outcome.UNKNOWN;
            } else if (answer.value.isPresent()) {
                Grant grant = answer.value.get();
                token = OptionalLong.of(grant.firstToken());
                tokens = grant.tokens();
                mayExpire = grant.countsFrom().nanos() + reliable(grant.lease());
                outcome = Outcome.GRANTED;
                returned = answer.at;
                break;
            }
        }
        String client = claim.id().toString();
        operations.add(Operation.acquire(claim.name(), client, claim.units(), token, outcome, called, returned)
                .withTokens(tokens));
        if (outcome != Outcome.REFUSED) {
            long opens = Math.max(mayExpire, keptUntil.getOrDefault(claim.id(), mayExpire));
            operations.add(Operation.expire(claim.name(), client, token, opens));
        }
        return token;
    }

    /**
     * For how many nanoseconds of a lease its holder relies on it. The engine ends the holder's belief one per cent and two
     * milliseconds before the store's lease, because clocks drift and have a grain; a store may use up as much.
     */
    static long reliable(Duration lease) {
        return lease.toNanos() - lease.toNanos() / 100 - Duration.ofMillis(2).toNanos();
    }

    private static Operation release(Request<Boolean> request, OptionalLong token) {
        Answer<Boolean> answer = request.answer;
        return Operation.release(
                request.claim.name(),
                request.claim.id().toString(),
                token,
                outcome(answer),
                request.called,
                returned(answer));
    }

    private static Operation renew(Request<RenewalRequest.Outcome> request, OptionalLong token) {
        Answer<RenewalRequest.Outcome> answer = request.answer;
        RenewalRequest.Outcome said = answer == null ? RenewalRequest.Outcome.UNKNOWN : answer.value;
        Outcome outcome = switch (said) {
            case KEPT -> Outcome.GRANTED;
            case GONE -> Outcome.REFUSED;
            case UNKNOWN -> Outcome.UNKNOWN;
        };
        Claim claim = request.claim;
        return Operation.renew(
                claim.name(), claim.id().toString(), claim.units(), token, outcome, request.called, returned(answer));
    }

    private static Operation revoke(Revocation request) {
        Answer<Boolean> answer = request.answer;
        return Operation.revoke(request.name, request.token, outcome(answer), request.called, returned(answer));
    }

    private static Outcome outcome(@Nullable Answer<Boolean> answer) {
        return answer == null ? Outcome.UNKNOWN : answer.value ? Outcome.GRANTED : Outcome.REFUSED;
    }

    private static long returned(@Nullable Answer<?> answer) {
        return answer == null ? Operation.NEVER : answer.at;
    }
}
