package io.holdfast.redis;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Renews in batches: one script for many keys, and all scripts at once. */
final class Renewals {

    /** A script of a thousand keys would keep all other requests waiting for milliseconds. */
    private static final int MOST_KEYS = 100;
    /** So many keys of locks take as long as one of a read/write lock or semaphore, whose holders are in order of expiry. */
    private static final int KEYS_PER_SHARED = 4;

    private final Link link;
    private final Calls calls;
    private final Keys keys;
    private final String retention;
    private final BiConsumer<String, List<Object>> after;
    private final Complaints complaints;

    Renewals(
            Link link,
            Calls calls,
            Keys keys,
            String retention,
            BiConsumer<String, List<Object>> after,
            Complaints complaints) {
        this.link = link;
        this.calls = calls;
        this.keys = keys;
        this.retention = retention;
        this.after = after;
        this.complaints = complaints;
    }

    CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> wishes) {
        RenewalRequest.Outcome[] outcomes = new RenewalRequest.Outcome[wishes.size()];
        Arrays.fill(outcomes, RenewalRequest.Outcome.UNKNOWN);
        List<CompletableFuture<?>> batches = new ArrayList<>();
        for (List<Integer> group : groups(wishes).values()) {
            for (int from = 0, to; from < group.size(); from = to) {
                to = endOfBatch(wishes, group, from);
                batches.add(renew(wishes, group.subList(from, to), outcomes));
            }
        }
        CompletableFuture<?>[] all = batches.toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all).handle((done, failure) -> {
            if (failure != null && Arrays.stream(all).allMatch(CompletableFuture::isCompletedExceptionally)) {
                throw new CompletionException(Calls.cause(failure));
            }
            if (failure != null) {
                complainOfSome(outcomes, failure);
            }
            return List.of(outcomes);
        });
    }

    /** One script with a negative lease; whether the claim holds. */
    CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        String[] key = {keys.key(claim.name())};
        return calls.runOnReplicas(
                        Script.RENEW,
                        key,
                        retention,
                        claim.id().toString(),
                        String.valueOf(claim.units()),
                        "-" + Math.max(1, TimeUnit.NANOSECONDS.toMicros(lease.toNanos())))
                .thenApply(parts -> {
                    after.accept(key[0], List.of(0L, parts.get(1), parts.get(2)));
                    return parts.get(0).equals(1L);
                });
    }

    /** The engine retries them and knows which, but not why. */
    private void complainOfSome(RenewalRequest.Outcome[] outcomes, Throwable failure) {
        long unknown = Arrays.stream(outcomes)
                .filter(outcome -> outcome == RenewalRequest.Outcome.UNKNOWN)
                .count();
        complaints.say(unknown + " of " + outcomes.length + " lease renewals failed and are retried: "
                + Calls.cause(failure).getMessage());
    }

    private static int endOfBatch(List<RenewalRequest> wishes, List<Integer> group, int from) {
        int end = from;
        for (int size = 0; end < group.size(); end++) {
            size += wishes.get(group.get(end)).claim().capacity() == 1 ? 1 : KEYS_PER_SHARED;
            if (size > MOST_KEYS) {
                break;
            }
        }
        return end;
    }

    private Map<Integer, List<Integer>> groups(List<RenewalRequest> wishes) {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int i = 0; i < wishes.size(); i++) {
            int group = link.group(keys.key(wishes.get(i).claim().name()));
            groups.computeIfAbsent(group, any -> new ArrayList<>()).add(i);
        }
        return groups;
    }

    private CompletableFuture<?> renew(
            List<RenewalRequest> wishes, List<Integer> part, RenewalRequest.Outcome[] outcomes) {
        String[] names = new String[part.size()];
        String[] args = new String[1 + 3 * part.size()];
        args[0] = retention;
        for (int i = 0; i < part.size(); i++) {
            RenewalRequest wish = wishes.get(part.get(i));
            Claim claim = wish.claim();
            names[i] = keys.key(claim.name());
            args[3 * i + 1] = claim.id().toString();
            args[3 * i + 2] = String.valueOf(claim.units());
            args[3 * i + 3] =
                    String.valueOf(TimeUnit.NANOSECONDS.toMicros(wish.lease().toNanos()));
        }
        return calls.runOnReplicas(Script.RENEW, names, args)
                .thenAccept(parts -> renewed(part, outcomes, names, parts))
                .exceptionallyCompose(failure -> {
                    boolean apart = part.size() > 1
                            && String.valueOf(failure.getMessage()).contains("TRYAGAIN");
                    // Some of the slot's keys have moved to another server: each by itself is found where it is.
                    return apart
                            ? CompletableFuture.allOf(part.stream()
                                    .map(each -> renew(wishes, List.of(each), outcomes))
                                    .toArray(CompletableFuture[]::new))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private void renewed(List<Integer> part, RenewalRequest.Outcome[] outcomes, String[] names, List<Object> parts) {
        for (int i = 0; i < names.length; i++) {
            outcomes[part.get(i)] = parts.get(i).equals(1L) ? RenewalRequest.Outcome.KEPT : RenewalRequest.Outcome.GONE;
        }
        for (String name : parts.get(names.length).equals(1L) ? names : new String[] {names[0]}) {
            after.accept(name, List.of(0L, parts.get(names.length), parts.get(names.length + 1)));
        }
    }
}
