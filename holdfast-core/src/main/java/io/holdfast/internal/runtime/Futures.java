package io.holdfast.internal.runtime;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Continuations whose own failure is not lost. */
public final class Futures {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private Futures() {}

    /** What a future that is done has failed with; null if it has a value. */
    public static @Nullable Throwable failureOf(CompletableFuture<?> done) {
        return done.isCompletedExceptionally()
                ? done.handle((value, failure) -> failure).join()
                : null;
    }

    /** Runs {@code action} with the value or the failure; what it throws itself is a bug, and logged as one. */
    public static <T> void whenDone(CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
        var unused = future.whenComplete((value, failure) -> {
            try {
                action.accept(value, failure);
            } catch (RuntimeException | Error bug) {
                LOG.log(Level.ERROR, "A bug in Holdfast: handling a store's answer failed.", bug);
                throw bug;
            }
        });
    }
}
