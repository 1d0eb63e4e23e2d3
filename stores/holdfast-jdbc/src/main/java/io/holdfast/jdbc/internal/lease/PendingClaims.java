package io.holdfast.jdbc.internal.lease;

import io.holdfast.spi.ClaimId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The pending claims of this process: those that wait for a name in the lease table. Thread-safe. */
final class PendingClaims {

    private final Map<ClaimId, PendingClaim> byId = new ConcurrentHashMap<>();
    private final Map<String, Set<PendingClaim>> byName = new ConcurrentHashMap<>();

    void add(PendingClaim added) {
        // By name first: a release that comes at once removes it from both.
        byName.compute(added.claim().name(), (name, present) -> {
            Set<PendingClaim> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(added);
            return all;
        });
        PendingClaim before = byId.put(added.claim().id(), added);
        if (before != null) {
            before.withdraw(new IllegalStateException("The claim was requested again."));
        }
    }

    @Nullable
    PendingClaim find(ClaimId id) {
        return byId.get(id);
    }

    /** Removes the claim by its id; null if it is not pending. It stays known by its name until its wait ends. */
    @Nullable
    PendingClaim remove(ClaimId id) {
        return byId.remove(id);
    }

    /** The wait of the claim has ended. */
    void remove(PendingClaim ended) {
        byId.remove(ended.claim().id(), ended);
        byName.computeIfPresent(ended.claim().name(), (name, all) -> {
            all.remove(ended);
            return all.isEmpty() ? null : all;
        });
    }

    int count() {
        return byId.size();
    }

    Collection<PendingClaim> all() {
        return byId.values();
    }

    /** Those that wait for the name. */
    Collection<PendingClaim> waitingFor(String name) {
        return byName.getOrDefault(name, Set.of());
    }
}
