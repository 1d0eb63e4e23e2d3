package io.holdfast.simulator;

import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts the events of one {@code Holdfast}: every wait and every lease must end with exactly one event, every event of a lease must be
 * one of a lease that has begun and not ended, and no sequence number may be missing. Thread-safe.
 */
public final class EventBalance implements HoldfastListener {

    private final List<String> violations = new ArrayList<>();
    private final Map<String, Integer> waits = new HashMap<>();
    /** Readers of one process may share a token. */
    private final Map<String, Integer> leases = new HashMap<>();

    private final Set<Long> numbers = new HashSet<>();
    private long largest;
    private long acquisitions;
    private long lost;

    @Override
    public synchronized void on(LockEvent event) {
        if (!numbers.add(event.sequence())) {
            violations.add("Twice: " + event);
        }
        largest = Math.max(largest, event.sequence());
        LockEvent.Kind kind = event.kind();
        if (kind == LockEvent.Kind.REQUESTED) {
            acquisitions++;
            waits.merge(event.name(), 1, Integer::sum);
        } else if (kind.endsWait()) {
            end(waits, event.name(), event);
        }
        String lease = event.name() + " " + event.token();
        if (kind.beginsLease()) {
            leases.merge(lease, 1, Integer::sum);
        } else if (kind.endsLease()) {
            lost += kind == LockEvent.Kind.LOST ? 1 : 0;
            end(leases, lease, event);
        } else if (isAboutLease(kind) && !leases.containsKey(lease)) {
            violations.add("Not of a present lease: " + event);
        }
    }

    private static boolean isAboutLease(LockEvent.Kind kind) {
        return kind == LockEvent.Kind.RENEWAL_FAILED
                || kind == LockEvent.Kind.AT_RISK
                || kind == LockEvent.Kind.FORGOTTEN;
    }

    private void end(Map<String, Integer> open, String what, LockEvent event) {
        Integer left = open.computeIfPresent(what, (key, count) -> count - 1);
        if (left == null) {
            violations.add("Has ended already, or never began: " + event);
        } else if (left == 0) {
            open.remove(what);
        }
    }

    @Override
    public synchronized void dropped(long count) {
        violations.add(count + " events were dropped");
    }

    /** How many acquisitions began. */
    public synchronized long acquisitions() {
        return acquisitions;
    }

    /** How many leases were lost. */
    public synchronized long lost() {
        return lost;
    }

    /** Is what the events leave open what the process holds and waits for? */
    public synchronized boolean agreesWith(LocalLocks present) {
        return sum(waits) == present.waiting().size()
                && sum(leases) == present.held().size();
    }

    /** What is wrong, if all acquisitions and leases have ended. */
    public synchronized List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        waits.forEach((name, count) -> all.add(count + " waits for '" + name + "' have no end"));
        leases.forEach((lease, count) -> all.add("Lease " + lease + " has no end"));
        if (numbers.size() != largest) {
            all.add("Of " + largest + " events " + numbers.size() + " came");
        }
        return all;
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
}
