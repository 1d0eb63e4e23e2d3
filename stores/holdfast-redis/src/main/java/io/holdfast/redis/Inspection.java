package io.holdfast.redis;

import io.holdfast.LockInfo;
import io.holdfast.Owner;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Looks at names, and changes nothing. */
final class Inspection {

    private static final int AT_ONCE = 100;

    private final Link link;
    private final Calls calls;
    private final Keys keys;

    Inspection(Link link, Calls calls, Keys keys) {
        this.link = link;
        this.calls = calls;
        this.keys = keys;
    }

    CompletableFuture<List<LockInfo>> of(NameFilter filter) {
        if (filter.match() == NameFilter.Match.EXACT) {
            return look(List.of(keys.key(filter.text())));
        }
        return link.scan(keys.pattern(filter.text()))
                .thenCompose(found -> look(
                        found.stream()
                                .filter(keys::isKey)
                                .filter(key -> filter.matches(keys.name(key)))
                                .distinct()
                                .toList(),
                        filter.limit(),
                        new ArrayList<>()));
    }

    /** A few at a time, because renewals go by the same connection; and no more than are wanted. */
    private CompletableFuture<List<LockInfo>> look(List<String> found, int limit, List<LockInfo> seen) {
        if (found.isEmpty() || seen.size() >= limit) {
            return CompletableFuture.completedFuture(seen.subList(0, Math.min(limit, seen.size())));
        }
        int some = Math.min(AT_ONCE, found.size());
        return look(found.subList(0, some)).thenCompose(infos -> {
            seen.addAll(infos);
            return look(found.subList(some, found.size()), limit, seen);
        });
    }

    /** Names that were used lately have a key too, so what is in use is known only after a look at each. */
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
        return calls.run(Script.INSPECT, new String[] {key}).thenApply(parts -> info(keys.name(key), parts));
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
            holders.add(holder(String.valueOf(records.get(i)), String.valueOf(records.get(i + 1)), now));
        }
        return holders.isEmpty() && waiting == 0
                ? null
                : new LockInfo(name, capacity, holders, waiting, queue((List<?>) parts.get(5)));
    }

    /** {@code id units token tokens since end kind}, as in {@code state.lua}. */
    private static LockInfo.Holder holder(String record, String owner, long now) {
        String[] fields = record.split(" ", -1);
        return new LockInfo.Holder(
                OwnerText.parse(owner),
                Integer.parseInt(fields[1]),
                Long.parseLong(fields[2]),
                Integer.parseInt(fields[3]),
                Duration.of(now - Long.parseLong(fields[4]), ChronoUnit.MICROS),
                Duration.of(Long.parseLong(fields[5]) - now, ChronoUnit.MICROS));
    }

    /** {@code id units tokens lease alive since channel owner}, as in {@code state.lua}. */
    private static List<Owner> queue(List<?> entries) {
        return entries.stream()
                .map(entry -> OwnerText.parse(String.valueOf(entry).split(" ", 8)[7]))
                .toList();
    }
}
