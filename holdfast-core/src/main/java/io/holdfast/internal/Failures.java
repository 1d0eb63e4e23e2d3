package io.holdfast.internal;

import io.holdfast.HoldfastException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.RefusedException;
import org.jspecify.annotations.Nullable;

/** The exceptions that callers get when they do not get a lock. */
final class Failures {

    private final Engine engine;

    Failures(Engine engine) {
        this.engine = engine;
    }

    RuntimeException closed(String name) {
        return new HoldfastException(
                name,
                engine.storeName(),
                "This Holdfast is closed. Keep one open for as long as its locks are used.",
                null);
    }

    /** One name was asked for in two kinds or sizes, both here. */
    RuntimeException anotherSize(String name, Share wanted, int present) {
        return new HoldfastException(
                name,
                engine.storeName(),
                "It is in use in this process as " + Claim.describe(present) + ", not as "
                        + Claim.describe(wanted.capacity())
                        + ". One name has one kind and one size: use another name, or the same size everywhere.",
                null);
    }

    /** A store that refuses says why; one that fails has said nothing. */
    RuntimeException noAnswer(String name, Throwable failure) {
        Throwable cause = Futures.unwrapped(failure);
        return cause instanceof RefusedException
                ? new HoldfastException(name, engine.storeName(), String.valueOf(cause.getMessage()), cause)
                : unavailable(name, cause);
    }

    RuntimeException unavailable(String name, Throwable failure) {
        Throwable cause = Futures.unwrapped(failure);
        return new StoreUnavailableException(
                name,
                engine.storeName(),
                "The store did not answer (" + Futures.describe(cause)
                        + "). Nothing is known about the lock; try again later.",
                cause);
    }

    /** The end of a wait. */
    RuntimeException outOfTime(Line line, Waiter waiter, @Nullable Throwable outage) {
        engine.events().timedOut(line.name(), waiter);
        String waited = DurationText.of(engine.nanos() - waiter.since);
        if (outage != null || waiter.mode == Claim.Mode.TRY) {
            return new StoreUnavailableException(
                    line.name(),
                    engine.storeName(),
                    "The store did not answer for as long as there was to wait (" + waited + ")"
                            + (outage == null ? "." : ": " + Futures.describe(outage)),
                    outage);
        }
        return new LockTimeoutException(
                line.name(),
                engine.storeName(),
                "Not acquired in " + waited + ": " + line.sight().describe(waiter.caller, engine.nanos()) + ".",
                null);
    }

    /** One attempt was all there was, and the name is taken. */
    RuntimeException busy(String name, Thread asker) {
        Line line = engine.line(name);
        String holder = line == null ? "the holder is not known" : line.sight().describe(asker, engine.nanos());
        return new LockTimeoutException(
                name, engine.storeName(), "Lock is held and maxWait is zero: " + holder + ".", null);
    }
}
