package io.holdfast.tck;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A store whose queue is a stack. */
final class LastComeFirstServed extends ForwardingStore {

    private final Map<String, Stack> stacks;

    /** Those who wait for one name. */
    static final class Stack {
        private final Deque<Waiting> waiting = new ArrayDeque<>();
    }

    private record Waiting(Claim claim, CompletableFuture<Optional<Grant>> answer) {}

    LastComeFirstServed(LockStore store, Map<String, Stack> stacks) {
        super(store);
        this.stacks = stacks;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        Stack stack = stacks.computeIfAbsent(claim.name(), name -> new Stack());
        synchronized (stack) {
            Claim attempt = new Claim(
                    claim.name(),
                    claim.id(),
                    Claim.Mode.TRY,
                    claim.units(),
                    claim.capacity(),
                    claim.lease(),
                    claim.tokens(),
                    claim.owner());
            Optional<Grant> now = super.acquire(attempt).join();
            if (now.isPresent() || claim.mode() == Claim.Mode.TRY) {
                return CompletableFuture.completedFuture(now);
            }
            Waiting waiting = new Waiting(attempt, new CompletableFuture<>());
            stack.waiting.push(waiting);
            return waiting.answer;
        }
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        boolean held = super.release(claim).join();
        Stack stack = stacks.computeIfAbsent(claim.name(), name -> new Stack());
        Waiting next;
        synchronized (stack) {
            stack.waiting.removeIf(waiting -> waiting.claim.id().equals(claim.id()));
            next = stack.waiting.poll();
        }
        if (next != null) {
            next.answer.complete(super.acquire(next.claim).join());
        }
        return CompletableFuture.completedFuture(held);
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return super.inspect(filter)
                .thenApply(infos -> infos.stream().map(this::described).toList());
    }

    /** Shows them in the order of arrival, so that only the serving is out of order. */
    private LockInfo described(LockInfo info) {
        Stack stack = stacks.computeIfAbsent(info.name(), name -> new Stack());
        List<LockInfo.Waiting> arrivals = new ArrayList<>();
        synchronized (stack) {
            stack.waiting
                    .descendingIterator()
                    .forEachRemaining(
                            waiting -> arrivals.add(new LockInfo.Waiting(waiting.claim.owner(), Duration.ZERO)));
        }
        return new LockInfo(info.name(), info.kind(), info.permits(), info.holders(), arrivals.size(), arrivals);
    }
}
