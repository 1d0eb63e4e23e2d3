package io.holdfast.jdbc.internal.session;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** The threads that wait for session locks, one for each session at work. */
final class SessionThreads {

    private final ExecutorService executor;

    SessionThreads(ExecutorService executor) {
        this.executor = executor;
    }

    /** @param withoutThread is called by this thread, with the reason, if there is no thread for the work */
    void execute(Runnable work, Consumer<Throwable> withoutThread) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            withoutThread.accept(noThread);
        }
    }

    void close() {
        executor.shutdown();
    }
}
