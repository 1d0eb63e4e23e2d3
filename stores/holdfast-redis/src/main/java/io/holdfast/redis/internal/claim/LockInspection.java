package io.holdfast.redis.internal.claim;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.script.LockKeys;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.redis.internal.script.ScriptRunner;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.LockInfos;
import io.holdfast.spi.support.OwnerFormat;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads holders and waiters of locks, and changes nothing. */
public final class LockInspection {

    private static final int NAMES_AT_ONCE = 100;
    /** A database may have any number of other keys, and SCAN visits all of them. */
    private static final Duration LONGEST_SEARCH = Duration.ofSeconds(30);

    private final RedisConnections connections;
    private final ScriptRunner runner;
    private final LockKeys keys;
    private final Ticker ticker;

    public LockInspection(RedisConnections connections, ScriptRunner runner, LockKeys keys, Ticker ticker) {
        this.connections = connections;
        this.runner = runner;
        this.keys = keys;
        this.ticker = ticker;
    }

    /** The names in use that match. */
    public CompletableFuture<List<LockInfo>> find(NameFilter filter) {
        if (filter.match() == NameFilter.Match.EXACT) {
            return read(List.of(keys.key(filter.text())));
        }
        return search(new Search(filter, ticker.nanos(), new LinkedHashSet<>(), new ArrayList<>()), null);
    }

    /** What was found so far; {@code keys} because SCAN may report a key more than once. */
    private record Search(NameFilter filter, long begun, Set<String> keys, List<LockInfo> found) {

        boolean isDone() {
            return found.size() >= filter.limit();
        }

        List<LockInfo> result() {
            return isDone() ? found.subList(0, filter.limit()) : found;
        }
    }

    /** One step of SCAN, the names in use among its keys, and the next step unless there are enough. */
    private CompletableFuture<List<LockInfo>> search(Search search, @Nullable KeyScanCursor<String> cursor) {
        NameFilter filter = search.filter();
        return runner.withTimeout(KeyScan.next(connections.commands(), keys.pattern(filter.text()), cursor))
                .thenCompose(step -> runner.withTimeout(KeyScan.inUse(
                                connections.commands(),
                                step.getKeys().stream()
                                        .filter(keys::isKey)
                                        .filter(key -> filter.matches(keys.name(key)))
                                        .toList()))
                        .thenCompose(inUse ->
                                read(inUse.stream().filter(search.keys()::add).toList(), search))
                        .thenCompose(read -> search.isDone() || step.isFinished()
                                ? CompletableFuture.completedFuture(search.result())
                                : isTooSlow(search) ? tooSlow(search) : search(search, step)));
    }

    private boolean isTooSlow(Search search) {
        return ticker.nanos() - search.begun() > LONGEST_SEARCH.toNanos();
    }

    private static <T> CompletableFuture<T> tooSlow(Search search) {
        NameFilter filter = search.filter();
        return CompletableFuture.failedFuture(new RedisCommandTimeoutException("The search for names that begin with '"
                + filter.text() + "' was not finished within "
                + DurationText.of(LONGEST_SEARCH) + ": " + search.found().size()
                + " names in use were found, the limit was " + filter.limit()
                + ". Use a smaller limit or a longer prefix. If the database has many other keys, use a separate"
                + " Redis database for locks."));
    }

    /** A hundred at a time, because renewals use the same connection. Not fewer: most may have expired holders only. */
    private CompletableFuture<?> read(List<String> inUse, Search search) {
        if (inUse.isEmpty() || search.isDone()) {
            return CompletableFuture.completedFuture(null);
        }
        if (isTooSlow(search)) {
            return tooSlow(search);
        }
        int some = Math.min(NAMES_AT_ONCE, inUse.size());
        return read(inUse.subList(0, some)).thenCompose(infos -> {
            search.found().addAll(infos);
            return read(inUse.subList(some, inUse.size()), search);
        });
    }

    /** The holders of a name in use may have expired, so the result may have fewer elements. */
    private CompletableFuture<List<LockInfo>> read(List<String> found) {
        List<CompletableFuture<@Nullable LockInfo>> infos =
                found.stream().map(key -> read(key, 0, true)).toList();
        return CompletableFuture.allOf(infos.toArray(CompletableFuture[]::new))
                .thenApply(done -> infos.stream()
                        .map(CompletableFuture::join)
                        .filter(Objects::nonNull)
                        .toList());
    }

    /**
     * A script reads a limited number of holders. If all of those have expired, the next script reads those before them. A holder
     * that is renewed meanwhile may move behind what is read next: so an empty result of several scripts is checked once more.
     */
    private CompletableFuture<@Nullable LockInfo> read(String key, long lastHolder, boolean checkAgain) {
        return runner.run(Script.INSPECT, new String[] {key}, String.valueOf(lastHolder))
                .thenCompose(parts -> {
                    Reply reply = Reply.of(parts);
                    if (reply != null && reply.unread() > 0) {
                        return read(key, reply.unread(), checkAgain);
                    }
                    LockInfo info = reply == null ? null : reply.info(keys.name(key));
                    return info == null && lastHolder > 0 && checkAgain
                            ? read(key, 0, false)
                            : CompletableFuture.completedFuture(info);
                });
    }

    /**
     * The reply of {@code inspect.lua}, in the order of the components, after 1 for a name in use.
     *
     * @param leaseTime the time that leases count on
     * @param waiting how many wait
     * @param holders record and owner of each
     * @param queue entries
     * @param unread the number of the last holder to read next, 0 if that is not needed
     * @param serverTime the server's clock, which waiting times count on
     */
    private record Reply(
            long leaseTime, int capacity, int waiting, List<?> holders, List<?> queue, long unread, long serverTime) {

        static @Nullable Reply of(List<Object> parts) {
            return parts.get(0).equals(0L)
                    ? null
                    : new Reply(
                            (Long) parts.get(1),
                            Math.toIntExact((Long) parts.get(2)),
                            Math.toIntExact((Long) parts.get(3)),
                            (List<?>) parts.get(4),
                            (List<?>) parts.get(5),
                            (Long) parts.get(6),
                            (Long) parts.get(7));
        }

        @Nullable
        LockInfo info(String name) {
            List<LockInfo.Holder> found = new ArrayList<>();
            for (int i = 0; i < holders.size(); i += 2) {
                String owner = String.valueOf(holders.get(i + 1));
                // With a capacity above 1 the claim stands before it.
                found.add(holder(
                        String.valueOf(holders.get(i)),
                        capacity == 1 ? owner : owner.substring(owner.indexOf(' ') + 1)));
            }
            found.sort(Comparator.comparingLong(LockInfo.Holder::token));
            return found.isEmpty() && waiting == 0 ? null : LockInfos.of(name, capacity, found, waiting, waiters());
        }

        /** {@code expiry id lease units token tokens since kind}, as in {@code state.lua}. */
        private LockInfo.Holder holder(String record, String owner) {
            String[] fields = record.split(" ", -1);
            return LockInfos.holder(
                    OwnerFormat.parse(owner),
                    capacity,
                    Integer.parseInt(fields[3]),
                    Long.parseLong(fields[4]),
                    Integer.parseInt(fields[5]),
                    Duration.of(Math.max(0, leaseTime - Long.parseLong(fields[6])), ChronoUnit.MICROS),
                    Duration.of(Long.parseLong(fields[0]) - leaseTime, ChronoUnit.MICROS));
        }

        private List<LockInfo.Waiting> waiters() {
            return queue.stream()
                    .map(entry -> LockInspection.waiting(String.valueOf(entry), serverTime))
                    .toList();
        }
    }

    /**
     * A queued claim, {@code id units tokens lease alive since channel owner} as in {@code state.lua}: it waits since it was put into
     * the queue, again from zero if the server had dropped it meanwhile.
     */
    static LockInfo.Waiting waiting(String entry, long serverTime) {
        String[] fields = entry.split(" ", 8);
        Duration waited = Duration.of(Math.max(0, serverTime - Long.parseLong(fields[5])), ChronoUnit.MICROS);
        return new LockInfo.Waiting(OwnerFormat.parse(fields[7]), waited);
    }
}
