package io.holdfast.jdbc.internal.session;

import io.holdfast.spi.ClaimId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims for session locks of one store, and the mutex that guards them. All methods but {@link #locked} are called under the
 * mutex.
 */
final class SessionClaims {

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<ClaimId, SessionClaim> claims = new HashMap<>();
    /** By name: the claim that holds it exclusively, or is releasing it. */
    private final Map<String, SessionClaim> leaders = new HashMap<>();
    /** These complete answers when the mutex is unlocked: callbacks may wait for a thread that needs it. */
    private final List<Runnable> completions = new ArrayList<>();

    private boolean closed;

    void locked(Runnable work) {
        locked(() -> {
            work.run();
            return true;
        });
    }

    <T extends @Nullable Object> T locked(Supplier<T> work) {
        mutex.lock();
        try {
            return work.get();
        } finally {
            unlock();
        }
    }

    private void unlock() {
        List<Runnable> due = List.of();
        try {
            if (mutex.getHoldCount() == 1 && !completions.isEmpty()) {
                due = List.copyOf(completions);
                completions.clear();
            }
        } finally {
            mutex.unlock();
        }
        due.forEach(Runnable::run);
    }

    /** Runs this when the mutex is unlocked. */
    void afterUnlock(Runnable completion) {
        completions.add(completion);
    }

    @Nullable
    SessionClaim find(ClaimId id) {
        return claims.get(id);
    }

    void add(SessionClaim claim) {
        claims.put(claim.claim.id(), claim);
    }

    /** Whether it was there. */
    boolean remove(SessionClaim claim) {
        return claims.remove(claim.claim.id(), claim);
    }

    List<SessionClaim> all() {
        return List.copyOf(claims.values());
    }

    /** The claim that holds the name exclusively, or is releasing it. */
    @Nullable
    SessionClaim leader(String name) {
        return leaders.get(name);
    }

    /** The claim holds its name exclusively from now on. Returns the one that did before. */
    @Nullable
    SessionClaim lead(SessionClaim leader) {
        return leaders.put(leader.claim.name(), leader);
    }

    /** The claim is releasing its name: a claim that comes meanwhile may follow it. */
    void leadUnlessThereIsOne(SessionClaim releasing) {
        leaders.putIfAbsent(releasing.claim.name(), releasing);
    }

    /** The claim leads no more. Returns its successor, which follows it no more. */
    @Nullable
    SessionClaim removeSuccessor(SessionClaim leader) {
        leaders.remove(leader.claim.name(), leader);
        return leader.removeSuccessor();
    }

    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
