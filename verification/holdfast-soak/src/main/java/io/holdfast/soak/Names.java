package io.holdfast.soak;

import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The names of one round. Few, so that there is always somebody who waits.
 *
 * @param prefix what they begin with
 * @param roles as what they can be held
 */
record Names(String prefix, Set<Role> roles) {

    static final int PERMITS = 3;
    static final Duration LONGEST_LEASE = Duration.ofSeconds(3);

    private static final List<Duration> LEASES = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), LONGEST_LEASE);

    /** Exclusive ones, alone or in sets. */
    List<String> locks() {
        return List.of(prefix + "lock-1", prefix + "lock-2", prefix + "lock-3");
    }

    List<String> tables() {
        return List.of(prefix + "table-1", prefix + "table-2");
    }

    String pool() {
        return prefix + "pool";
    }

    /** The same for all who use a name, most of the time. */
    Duration lease(String name) {
        return LEASES.get(Math.floorMod(name.charAt(name.length() - 1) - '1', LEASES.size()));
    }

    /** Every name, and how much of it there is. */
    Map<String, Integer> capacities() {
        Map<String, Integer> capacities = new TreeMap<>();
        locks().forEach(name -> capacities.put(name, 1));
        if (roles.contains(Role.WRITER)) {
            tables().forEach(name -> capacities.put(name, Claim.READ_WRITE));
        }
        if (roles.contains(Role.PERMITS)) {
            capacities.put(pool(), PERMITS);
        }
        return capacities;
    }
}
