package io.holdfast.jdbc.internal.queue;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.OwnerText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wait queue of a name, in its row, on databases that can notify a waiter: the claims of other processes, in the order in which
 * they came. An entry expires unless its process refreshes it, so that a process that died is skipped. An entry that expires too
 * far in the future was written before the clock was set back, and is skipped too.
 *
 * <p>As text, an entry is a line of expiry, claim, units, capacity, lease, tokens and owner, with tabs between. {@link PostgresQueueSql} has
 * the same in SQL.
 */
public final class WaitQueue {

    /** How many claims there is room for; the others poll until there is. */
    static final int CAPACITY = 32;

    /** The longest time after which an entry expires. */
    public static final long MAX_LIFETIME_MICROS = 60_000_000;

    private static final int UNITS = 2;
    private static final int SIZE = 3;

    private final List<String[]> entries = new ArrayList<>();

    /** How many there are with those that have expired. */
    private int size;

    /** @param now entries that have expired by then are left out */
    public WaitQueue(@Nullable String text, long now) {
        if (text == null || text.isEmpty()) {
            return;
        }
        for (String line : text.split("\n", -1)) {
            size++;
            String[] entry = line.split("\t", -1);
            long expiry = Long.parseLong(entry[0]);
            if (expiry > now && expiry <= now + MAX_LIFETIME_MICROS) {
                entries.add(entry);
            }
        }
    }

    public boolean hasRoom() {
        return size < CAPACITY;
    }

    /** Whether no claim can be added, also if those that have expired are removed. */
    public boolean isFull() {
        return entries.size() >= CAPACITY;
    }

    /** The claim that is to be served next; null if none waits. */
    @Nullable
    public String first() {
        return entries.isEmpty() ? null : entries.get(0)[1];
    }

    /** Whether the first one can be served beside others that have some of the units. */
    public boolean isRoomForFirst(int unitsInUse, int capacity) {
        if (entries.isEmpty()) {
            return false;
        }
        String[] first = entries.get(0);
        return unitsInUse == 0
                || (Integer.parseInt(first[SIZE]) == capacity
                        && Integer.parseInt(first[UNITS]) <= capacity - unitsInUse);
    }

    public boolean hasOtherFirst(ClaimId id) {
        return !entries.isEmpty() && !entries.get(0)[1].equals(id.toString());
    }

    /** When the claim's entry expires; 0 if there is none. */
    public long expiry(ClaimId id) {
        return entries.stream()
                .filter(entry -> entry[1].equals(id.toString()))
                .mapToLong(entry -> Long.parseLong(entry[0]))
                .findFirst()
                .orElse(0);
    }

    /** Whether there was room for it, or it had an entry, which expires later now. */
    public boolean add(Claim claim, long expiry) {
        String[] entry = {
            String.valueOf(expiry),
            claim.id().toString(),
            String.valueOf(claim.units()),
            String.valueOf(claim.capacity()),
            String.valueOf(Micros.of(claim.lease())),
            String.valueOf(Claims.tokens(claim)),
            owner(claim)
        };
        if (expiry(claim.id()) != 0) {
            entries.replaceAll(other -> other[1].equals(entry[1]) ? entry : other);
            return true;
        }
        return !isFull() && entries.add(entry);
    }

    public void remove(ClaimId id) {
        entries.removeIf(entry -> entry[1].equals(id.toString()));
    }

    /** As it is written into an entry. */
    public static String owner(Claim claim) {
        return OwnerText.of(claim.owner()).replaceAll("[\t\n\r]", "%20");
    }

    @Override
    public String toString() {
        return String.join(
                "\n", entries.stream().map(entry -> String.join("\t", entry)).toList());
    }
}
