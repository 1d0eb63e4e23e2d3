package io.holdfast.soak;

import io.holdfast.Acquirable;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Locks by Holdfast. */
final class HoldfastLocker implements Locker {

    private final Holdfast holdfast;

    HoldfastLocker(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    public Optional<Possession> obtain(Wish wish) {
        LockOptions options = LockOptions.builder()
                .leaseTime(wish.lease())
                .renewal(wish.renewal())
                .maxWait(wish.maxWait())
                .build();
        if (wish.role() == Role.MEMBER) {
            return obtain(wish, holdfast.lockSet(wish.names(), options));
        }
        String name = wish.names().get(0);
        Acquirable<Lease> source = switch (wish.role()) {
            case OWNER, MEMBER -> holdfast.lock(name, options);
            case WRITER -> holdfast.readWriteLock(name, options).writeLock();
            case READER -> holdfast.readWriteLock(name, options).readLock();
            case PERMITS -> holdfast.semaphore(name, Names.PERMITS, options).withPermits(wish.units());
        };
        Optional<Lease> lease = switch (wish.way()) {
            case TRY -> source.tryAcquire();
            case WAIT -> source.tryAcquire(wish.maxWait());
            case FUTURE -> patiently(source.acquireAsync(wish.maxWait()), wish.patience());
        };
        return lease.map(its -> new Possession(List.of(its), its::release));
    }

    private static Optional<Possession> obtain(Wish wish, LockSet locks) {
        Optional<LeaseSet> set = switch (wish.way()) {
            case TRY -> locks.tryAcquire();
            case WAIT -> locks.tryAcquire(wish.maxWait());
            case FUTURE -> patiently(locks.acquireAsync(wish.maxWait()), wish.patience());
        };
        return set.map(
                its -> new Possession(its.names().stream().map(its::lease).toList(), its::release));
    }

    /** Waits for a while, then withdraws; what has come in the very last moment is not lost. */
    private static <T> Optional<T> patiently(CompletableFuture<T> future, Duration patience) {
        try {
            return Optional.of(future.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException late) {
            return future.cancel(false) ? Optional.empty() : Optional.of(joined(future));
        } catch (ExecutionException failed) {
            return Optional.of(joined(future));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static <T> T joined(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException unchecked ? unchecked : failed;
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
