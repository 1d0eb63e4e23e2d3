package io.holdfast.redis.internal.claim;

import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.redis.internal.script.QueueReply;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.redis.internal.script.ScriptRunner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.Failures;
import io.holdfast.spi.support.RateLimitedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Renews leases in batches: one script for many keys, and all scripts at once. */
public final class RenewalBatches {

    /** A script of a thousand keys would delay all other requests by milliseconds. */
    private static final int MOST_KEYS = 100;
    /** So many keys of locks take as long as one of a read/write lock or semaphore, whose holders are in order of expiry. */
    private static final int KEYS_PER_SHARED = 4;

    private final RedisConnections connections;
    private final ScriptRunner runner;
    private final LockKeys keys;
    private final String retention;
    private final QueueFollowUp followUp;
    private final RateLimitedLog log;

    /** @param retention in microseconds */
    public RenewalBatches(
            RedisConnections connections,
            ScriptRunner runner,
            LockKeys keys,
            String retention,
            QueueFollowUp followUp,
            RateLimitedLog log) {
        this.connections = connections;
        this.runner = runner;
        this.keys = keys;
        this.retention = retention;
        this.followUp = followUp;
        this.log = log;
    }

    /** Renews them all. Fails only if every batch fails; otherwise the outcomes of failed batches are unknown. */
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> requests) {
        RenewalRequest.Outcome[] outcomes = new RenewalRequest.Outcome[requests.size()];
        Arrays.fill(outcomes, RenewalRequest.Outcome.UNKNOWN);
        List<CompletableFuture<?>> batches = new ArrayList<>();
        for (List<Integer> group : groups(requests).values()) {
            for (int from = 0, to; from < group.size(); from = to) {
                to = endOfBatch(requests, group, from);
                batches.add(renew(requests, group.subList(from, to), outcomes));
            }
        }
        CompletableFuture<?>[] all = batches.toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all).handle((done, failure) -> {
            if (failure != null && Arrays.stream(all).allMatch(CompletableFuture::isCompletedExceptionally)) {
                throw new CompletionException(Failures.unwrap(failure));
            }
            if (failure != null) {
                logFailedBatches(outcomes, failure);
            }
            return List.of(outcomes);
        });
    }

    /** Shortens a lease, which is a renewal with a negative length. Returns whether the claim is a holder. */
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        String key = keys.key(claim.name());
        return runner.runOnReplicas(
                        Script.RENEW,
                        new String[] {key},
                        retention,
                        claim.id().toString(),
                        String.valueOf(claim.units()),
                        "-" + Math.max(1, TimeUnit.NANOSECONDS.toMicros(lease.toNanos())))
                .thenApply(parts -> {
                    followUp.handle(key, QueueReply.ofEnd(parts));
                    return parts.get(0).equals(1L);
                });
    }

    /** The engine retries them and knows which, but not why. */
    private void logFailedBatches(RenewalRequest.Outcome[] outcomes, Throwable failure) {
        long unknown = Arrays.stream(outcomes)
                .filter(outcome -> outcome == RenewalRequest.Outcome.UNKNOWN)
                .count();
        log.warn(() -> unknown + " of " + outcomes.length + " lease renewals failed and are retried: "
                + Failures.unwrap(failure).getMessage());
    }

    private static int endOfBatch(List<RenewalRequest> requests, List<Integer> group, int from) {
        int end = from;
        for (int size = 0; end < group.size(); end++) {
            size += requests.get(group.get(end)).claim().capacity() == 1 ? 1 : KEYS_PER_SHARED;
            if (size > MOST_KEYS) {
                break;
            }
        }
        return end;
    }

    private Map<Integer, List<Integer>> groups(List<RenewalRequest> requests) {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int i = 0; i < requests.size(); i++) {
            int group = connections.scriptGroup(keys.key(requests.get(i).claim().name()));
            groups.computeIfAbsent(group, any -> new ArrayList<>()).add(i);
        }
        return groups;
    }

    private CompletableFuture<?> renew(
            List<RenewalRequest> requests, List<Integer> batch, RenewalRequest.Outcome[] outcomes) {
        String[] lockKeys = new String[batch.size()];
        List<String> args = new ArrayList<>(List.of(retention));
        for (int i = 0; i < batch.size(); i++) {
            RenewalRequest request = requests.get(batch.get(i));
            Claim claim = request.claim();
            lockKeys[i] = keys.key(claim.name());
            args.add(claim.id().toString());
            args.add(String.valueOf(claim.units()));
            args.add(
                    String.valueOf(TimeUnit.NANOSECONDS.toMicros(request.lease().toNanos())));
        }
        return runner.runOnReplicas(Script.RENEW, lockKeys, args.toArray(String[]::new))
                .thenAccept(parts -> renewed(batch, outcomes, lockKeys, parts))
                .exceptionallyCompose(failure -> {
                    boolean separately = batch.size() > 1
                            && String.valueOf(failure.getMessage()).contains("TRYAGAIN");
                    // Some of the slot's keys have moved to another server: each is found separately where it is.
                    return separately
                            ? CompletableFuture.allOf(batch.stream()
                                    .map(each -> renew(requests, List.of(each), outcomes))
                                    .toArray(CompletableFuture[]::new))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private void renewed(
            List<Integer> batch, RenewalRequest.Outcome[] outcomes, String[] lockKeys, List<Object> parts) {
        for (int i = 0; i < lockKeys.length; i++) {
            outcomes[batch.get(i)] =
                    parts.get(i).equals(1L) ? RenewalRequest.Outcome.KEPT : RenewalRequest.Outcome.GONE;
        }
        QueueReply reply = QueueReply.ofEnd(parts);
        for (String key : reply.more() ? lockKeys : new String[] {lockKeys[0]}) {
            followUp.handle(key, reply);
        }
    }
}
