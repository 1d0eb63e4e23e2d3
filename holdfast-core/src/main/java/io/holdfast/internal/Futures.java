package io.holdfast.internal;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Continuations whose own failure is not lost. */
final class Futures {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private Futures() {}

    /** What a future failed with, without the wrapping that says that a future did. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** A failure in one line: what failed, and what was behind it, without the wrapping of futures. */
    static String describe(Throwable failure) {
        Throwable cause = unwrapped(failure);
        StringBuilder text = new StringBuilder(oneLine(cause));
        Throwable behind = cause.getCause();
        for (int depth = 0; behind != null && depth < 3; depth++) {
            String more = oneLine(behind);
            if (text.indexOf(String.valueOf(behind.getMessage())) < 0) {
                text.append(", caused by ").append(more);
            }
            behind = behind.getCause();
        }
        return text.toString();
    }

    private static String oneLine(Throwable failure) {
        String message = failure.getMessage();
        String type = failure.getClass().getSimpleName();
        return message == null
                ? type
                : type + ": " + message.lines().findFirst().orElse("");
    }

    /** What a future that is done has failed with; null if it has a value. */
    static @Nullable Throwable failureOf(CompletableFuture<?> done) {
        return done.isCompletedExceptionally()
                ? done.handle((value, failure) -> failure).join()
                : null;
    }

    /** Runs {@code action} with the value or the failure; what it throws itself is a bug, and logged as one. */
    static <T> void whenDone(CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
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
