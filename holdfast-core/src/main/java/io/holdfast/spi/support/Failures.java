package io.holdfast.spi.support;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Failures of futures, and what people read of them. */
public final class Failures {

    private Failures() {}

    /** The failure of the computation, without the exception that a future wraps around it. */
    public static Throwable unwrap(Throwable failure) {
        Throwable result = failure;
        Throwable cause = result.getCause();
        while (cause != null && (result instanceof CompletionException || result instanceof ExecutionException)) {
            result = cause;
            cause = result.getCause();
        }
        return result;
    }

    /** A failure and its causes in one line, without the exceptions that futures wrap around it. */
    public static String describe(Throwable failure) {
        Throwable cause = unwrap(failure);
        StringBuilder text = new StringBuilder(oneLine(cause));
        Throwable behind = cause.getCause();
        for (int depth = 0; behind != null && depth < 3; depth++) {
            if (text.indexOf(String.valueOf(behind.getMessage())) < 0) {
                text.append(", caused by ").append(oneLine(behind));
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
}
