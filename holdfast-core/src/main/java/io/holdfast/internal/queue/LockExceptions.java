package io.holdfast.internal.queue;

import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.SelfDeadlockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.UnsupportedCapabilityException;
import io.holdfast.WrongKindException;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The exceptions that callers get when they do not get a lock. */
public final class LockExceptions {

    private final Supplier<String> storeName;

    public LockExceptions(Supplier<String> storeName) {
        this.storeName = storeName;
    }

    public String storeName() {
        return storeName.get();
    }

    public RuntimeException closed(String name) {
        return new HoldfastClosedException(name, storeName());
    }

    /** One name is in use in this process in another kind or size. */
    RuntimeException wrongKind(String name, Units wanted, int present) {
        return new WrongKindException(
                name,
                storeName(),
                "It is in use in this process as " + Claim.describe(present) + ", not as "
                        + Claim.describe(wanted.capacity())
                        + ". One name has one kind and one size: use another name, or the same size everywhere.",
                null);
    }

    /** A store that refuses says why; the outcome of any other failure is unknown. */
    RuntimeException noAnswer(String name, Throwable failure) {
        Throwable cause = Failures.unwrap(failure);
        if (cause instanceof RefusedException refused) {
            String message = String.valueOf(refused.getMessage());
            if (refused.isWrongKind()) {
                return new WrongKindException(name, storeName(), message, refused);
            }
            return refused.isUnsupported()
                    ? new UnsupportedCapabilityException(name, storeName(), message)
                    : new HoldfastException(name, storeName(), message, refused);
        }
        return unavailable(name, cause);
    }

    public RuntimeException unavailable(String name, Throwable failure) {
        Throwable cause = Failures.unwrap(failure);
        return new StoreUnavailableException(
                name,
                storeName(),
                "The store did not answer (" + Failures.describe(cause)
                        + "). It is not known whether the lock is held; try again later.",
                cause);
    }

    public RuntimeException interrupted(String name, String message) {
        return new LockInterruptedException(name, storeName(), message, null);
    }

    public RuntimeException selfDeadlock(String name, String why) {
        return new SelfDeadlockException(
                name,
                storeName(),
                "Self-deadlock: thread '" + Thread.currentThread().getName() + "' " + why + ".");
    }

    /** The wait is over, and the store did not answer. */
    public RuntimeException unanswered(Waiter waiter, long now, @Nullable Throwable outage) {
        return new StoreUnavailableException(
                waiter.request.name(),
                storeName(),
                "The store did not answer within the wait (" + DurationText.of(now - waiter.since) + ")"
                        + (outage == null ? "." : ": " + Failures.describe(outage)),
                outage);
    }

    /** The wait is over, and the lock is held. */
    public RuntimeException timedOut(Waiter waiter, long now, HolderLookup holder) {
        long waited = now - waiter.since;
        return new LockTimeoutException(
                waiter.request.name(),
                storeName(),
                "Not acquired in " + DurationText.of(waited) + ": " + holder.describe(waiter.caller, now) + ".",
                Duration.ofNanos(waited),
                holder.info());
    }

    /** The only attempt found the name held. */
    public RuntimeException busy(String name, @Nullable HolderLookup holder, Thread caller, long now) {
        String text = holder == null ? "the holder is not known" : holder.describe(caller, now);
        Optional<LockInfo> info = holder == null ? Optional.empty() : holder.info();
        return new LockTimeoutException(
                name, storeName(), "Lock is held and maxWait is zero: " + text + ".", Duration.ZERO, info);
    }
}
