package io.holdfast.architecture.bad;

import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Makes threads, or borrows those of the JDK. */
public final class UsesThreads {

    Thread thread(Runnable task) {
        return new Thread(task);
    }

    Executor executors() {
        return Executors.newSingleThreadExecutor();
    }

    Executor pool() {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    Executor scheduledPool() {
        return new ScheduledThreadPoolExecutor(1);
    }

    Timer timer() {
        return new Timer();
    }

    Executor common() {
        return ForkJoinPool.commonPool();
    }

    CompletableFuture<String> asyncWithoutExecutor(CompletableFuture<String> future) {
        return future.thenApplyAsync(String::trim);
    }

    CompletableFuture<String> timedByTheJdk(CompletableFuture<String> future) {
        return future.orTimeout(1, TimeUnit.SECONDS);
    }
}
