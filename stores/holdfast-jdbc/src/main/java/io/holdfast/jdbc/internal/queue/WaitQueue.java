package io.holdfast.jdbc.internal.queue;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.support.OwnerFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wait queue in the row of a name, on databases that can notify a waiter: the queued claims of all processes, in the order of their
 * arrival. An entry expires unless its process refreshes it, so that a process that died is skipped. An entry that expires too far in the
 * future was written before the clock was set back, and is skipped too.
 *
 * <p>As text, an entry is a line of expiry, claim, units, capacity, lease, tokens, owner and time of arrival, with tabs between.
 * {@link PostgresQueueSql} has the same in SQL. Entries of earlier versions have no time of arrival.
 */
public final class WaitQueue {

    /** How many claims there is room for; the others poll until there is. */
    static final int CAPACITY = 32;

    /** The longest time after which an entry expires. */
    public static final long MAX_LIFETIME_MICROS = 60_000_000;

    private static final int EXPIRY = 0;
    private static final int CLAIM = 1;
    private static final int UNITS = 2;
    private static final int SIZE = 3;
    private static final int OWNER = 6;
    private static final int ARRIVAL = 7;

    private final long now;
    private final List<String[]> entries = new ArrayList<>();

    /** How many there are with those that have expired. */
    private int size;

    /** @param now entries that have expired by then are left out */
    public WaitQueue(@Nullable String text, long now) {
        this.now = now;
        if (text == null || text.isEmpty()) {
            return;
        }
        for (String line : text.split("\n", -1)) {
            size++;
            String[] entry = line.split("\t", -1);
            long expiry = Long.parseLong(entry[EXPIRY]);
            if (expiry > now && expiry <= now + MAX_LIFETIME_MICROS) {
                entries.add(entry);
            }
        }
    }

    /**
     * A queued claim, for inspection.
     *
     * @param owner the process that waits
     * @param waited how long it has waited, by the clock of the database; null if its version does not write it
     */
    public record Waiting(Owner owner, @Nullable Duration waited) {}

    /** The queued claims, the next to be served first. */
    public List<Waiting> waiting() {
        return entries.stream()
                .map(entry -> new Waiting(OwnerFormat.parse(entry[OWNER]), waited(entry)))
                .toList();
    }

    private @Nullable Duration waited(String... entry) {
        return entry.length > ARRIVAL ? Micros.toDuration(Math.max(0, now - Long.parseLong(entry[ARRIVAL]))) : null;
    }

    public boolean hasRoom() {
        return size < CAPACITY;
    }

    /** Whether no claim can be added, also if those that have expired are removed. */
    public boolean isFull() {
        return entries.size() >= CAPACITY;
    }

    /** The claim that is to be served next; null if none waits. */
    public @Nullable String first() {
        return entries.isEmpty() ? null : entries.get(0)[CLAIM];
    }

    /** Whether the first claim can be served beside others that hold some of the units. */
    public boolean isRoomForFirst(int unitsInUse, int capacity) {
        if (entries.isEmpty()) {
            return false;
        }
        String[] first = entries.get(0);
        return unitsInUse == 0
                || (Integer.parseInt(first[SIZE]) == capacity
                        && Integer.parseInt(first[UNITS]) <= capacity - unitsInUse);
    }

    /** Whether another claim is to be served before this one. */
    public boolean hasOtherFirst(ClaimId id) {
        return !entries.isEmpty() && !isOf(entries.get(0), id);
    }

    /** When the claim's entry expires; 0 if there is none. */
    public long expiry(ClaimId id) {
        return entries.stream()
                .filter(entry -> isOf(entry, id))
                .mapToLong(entry -> Long.parseLong(entry[EXPIRY]))
                .findFirst()
                .orElse(0);
    }

    /** Adds the claim at the end, or lets its entry expire later. False if there is no room for it. */
    public boolean add(Claim claim, long expiry) {
        for (String[] entry : entries) {
            if (isOf(entry, claim.id())) {
                entry[EXPIRY] = String.valueOf(expiry);
                return true;
            }
        }
        String[] added = {
            String.valueOf(expiry),
            claim.id().toString(),
            String.valueOf(claim.units()),
            String.valueOf(claim.capacity()),
            String.valueOf(Micros.of(claim.lease())),
            String.valueOf(Claims.tokens(claim)),
            owner(claim),
            String.valueOf(now)
        };
        return !isFull() && entries.add(added);
    }

    public void remove(ClaimId id) {
        entries.removeIf(entry -> isOf(entry, id));
    }

    private static boolean isOf(String[] entry, ClaimId id) {
        return entry[CLAIM].equals(id.toString());
    }

    /** The owner as it is written into an entry. */
    public static String owner(Claim claim) {
        return OwnerFormat.of(claim.owner()).replaceAll("[\t\n\r]", "%20");
    }

    @Override
    public String toString() {
        return String.join(
                "\n", entries.stream().map(entry -> String.join("\t", entry)).toList());
    }
}
