package io.holdfast.redis;

import io.holdfast.LockInfo;
import io.holdfast.Owner;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import io.holdfast.spi.Ticker;
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

/** Reads what is held and waited for, and changes nothing. */
final class Inspection {

    private static final int AT_ONCE = 100;
    /** A database may have any number of keys that are not ours, and SCAN goes through all of them. */
    private static final Duration LONGEST_SEARCH = Duration.ofSeconds(30);

    private final Link link;
    private final Calls calls;
    private final Keys keys;
    private final Ticker ticker;

    Inspection(Link link, Calls calls, Keys keys, Ticker ticker) {
        this.link = link;
        this.calls = calls;
        this.keys = keys;
        this.ticker = ticker;
    }

    CompletableFuture<List<LockInfo>> of(NameFilter filter) {
        if (filter.match() == NameFilter.Match.EXACT) {
            return look(List.of(keys.key(filter.text())));
        }
        return search(new Search(filter, ticker.nanos(), new LinkedHashSet<>(), new ArrayList<>()), null);
    }

    /** What was found so far; {@code keys} because SCAN may report one more than once. */
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
        return calls.inTime(Scans.next(link.commands(), keys.pattern(filter.text()), cursor))
                .thenCompose(step -> calls.inTime(Scans.inUse(
                                link.commands(),
                                step.getKeys().stream()
                                        .filter(keys::isKey)
                                        .filter(key -> filter.matches(keys.name(key)))
                                        .toList()))
                        .thenCompose(inUse ->
                                look(inUse.stream().filter(search.keys()::add).toList(), search))
                        .thenCompose(looked -> search.isDone() || step.isFinished()
                                ? CompletableFuture.completedFuture(search.result())
                                : isLate(search) ? tooSlow(search) : search(search, step)));
    }

    private boolean isLate(Search search) {
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

    /** A hundred at a time, because renewals go by the same connection. Not fewer: most may have expired holders only. */
    private CompletableFuture<?> look(List<String> inUse, Search search) {
        if (inUse.isEmpty() || search.isDone()) {
            return CompletableFuture.completedFuture(null);
        }
        if (isLate(search)) {
            return tooSlow(search);
        }
        int some = Math.min(AT_ONCE, inUse.size());
        return look(inUse.subList(0, some)).thenCompose(infos -> {
            search.found().addAll(infos);
            return look(inUse.subList(some, inUse.size()), search);
        });
    }

    /** The holders of a name in use may have expired, so there may be fewer. */
    private CompletableFuture<List<LockInfo>> look(List<String> found) {
        List<CompletableFuture<@Nullable LockInfo>> looks =
                found.stream().map(this::look).toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                .thenApply(done -> looks.stream()
                        .map(CompletableFuture::join)
                        .filter(Objects::nonNull)
                        .toList());
    }

    private CompletableFuture<@Nullable LockInfo> look(String key) {
        return look(key, 0, true);
    }

    /**
     * A script reads a limited number of holders. If all of those have expired, the next script reads those before them. A holder
     * that is renewed meanwhile may move behind what is read next: so an empty result of several scripts is checked once more.
     */
    private CompletableFuture<@Nullable LockInfo> look(String key, long last, boolean checkAgain) {
        return calls.run(Script.INSPECT, new String[] {key}, String.valueOf(last))
                .thenCompose(parts -> {
                    long unread = parts.get(0).equals(0L) ? 0 : (Long) parts.get(6);
                    if (unread > 0) {
                        return look(key, unread, checkAgain);
                    }
                    LockInfo info = info(keys.name(key), parts);
                    return info == null && last > 0 && checkAgain
                            ? look(key, 0, false)
                            : CompletableFuture.completedFuture(info);
                });
    }

    private static @Nullable LockInfo info(String name, List<Object> parts) {
        if (parts.get(0).equals(0L)) {
            return null;
        }
        long now = (Long) parts.get(1);
        int capacity = Math.toIntExact((Long) parts.get(2));
        int waiting = Math.toIntExact((Long) parts.get(3));
        List<?> records = (List<?>) parts.get(4);
        List<LockInfo.Holder> holders = new ArrayList<>();
        for (int i = 0; i < records.size(); i += 2) {
            String owner = String.valueOf(records.get(i + 1));
            // With a capacity above 1 the claim stands before it.
            holders.add(holder(
                    String.valueOf(records.get(i)),
                    capacity == 1 ? owner : owner.substring(owner.indexOf(' ') + 1),
                    now));
        }
        holders.sort(Comparator.comparingLong(LockInfo.Holder::firstToken));
        return holders.isEmpty() && waiting == 0
                ? null
                : new LockInfo(name, capacity, holders, waiting, queue((List<?>) parts.get(5)));
    }

    /** {@code end id lease units token tokens since kind}, as in {@code state.lua}. */
    private static LockInfo.Holder holder(String record, String owner, long now) {
        String[] fields = record.split(" ", -1);
        return new LockInfo.Holder(
                OwnerText.parse(owner),
                Integer.parseInt(fields[3]),
                Long.parseLong(fields[4]),
                Integer.parseInt(fields[5]),
                Duration.of(Math.max(0, now - Long.parseLong(fields[6])), ChronoUnit.MICROS),
                Duration.of(Long.parseLong(fields[0]) - now, ChronoUnit.MICROS));
    }

    /** {@code id units tokens lease alive since channel owner}, as in {@code state.lua}. */
    private static List<Owner> queue(List<?> entries) {
        return entries.stream()
                .map(entry -> OwnerText.parse(String.valueOf(entry).split(" ", 8)[7]))
                .toList();
    }
}
