package io.holdfast.tck;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Ticker;
import io.holdfast.tck.Operation.Outcome;
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

/** A store that remembers what it was asked and what it said, but for revocations. Each claim is a client of its own. */
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

    private final Ticker ticker;
    private final Queue<Request<Optional<Grant>>> acquires = new ConcurrentLinkedQueue<>();
    private final Queue<Request<Boolean>> releases = new ConcurrentLinkedQueue<>();
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
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        long sent = ticker.nanos();
        return super.renew(renewals).thenApply(outcomes -> {
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) == Renewal.Outcome.KEPT) {
                    Renewal renewal = renewals.get(i);
                    keptUntil.merge(renewal.claim().id(), sent + renewal.lease().toNanos(), Math::max);
                }
            }
            return outcomes;
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
        return operations;
    }

    /** One, however often the claim has asked, because it is granted only once. */
    private OptionalLong addAcquire(List<Request<Optional<Grant>>> requests, List<Operation> operations) {
        Claim claim = requests.get(0).claim;
        long called = requests.get(0).called;
        long mayExpire = called + claim.lease().toNanos();
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
                mayExpire = grant.countsFrom().nanos() + grant.lease().toNanos();
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

    private static Operation release(Request<Boolean> request, OptionalLong token) {
        Answer<Boolean> answer = request.answer;
        Outcome outcome = answer == null ? Outcome.UNKNOWN : answer.value ? Outcome.GRANTED : Outcome.REFUSED;
        long returned = answer == null ? Operation.NEVER : answer.at;
        return Operation.release(
                request.claim.name(), request.claim.id().toString(), token, outcome, request.called, returned);
    }
}
