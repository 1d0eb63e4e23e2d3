package io.holdfast.tck;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A {@link ChildMain} in a JVM of its own, seen from here. Closing it ends the process. */
final class ChildProcess implements AutoCloseable {

    /** Generous: a busy machine starts a JVM slowly, and a child ends by itself long before. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final String who;
    private final Process process;
    private final Queue<String> logged = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<List<String>> done = new CompletableFuture<>();

    private ChildProcess(String who, Process process) {
        this.who = who;
        this.process = process;
    }

    /** Starts it. It opens its store and waits for {@link #go()}. */
    static ChildProcess start(ChildMain.Orders orders) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                classPath(),
                ChildMain.class.getName());
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            ChildProcess child = new ChildProcess(orders.who(), process);
            Thread reader = new Thread(child::read, "tck-reader-" + orders.who());
            reader.setDaemon(true);
            reader.start();
            for (String line : orders.toLines()) {
                child.write(line);
            }
            return child;
        } catch (IOException unstartable) {
            throw new UncheckedIOException(unstartable);
        }
    }

    /** The child runs on the class path, even if this process has modules. */
    private static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        String classes = System.getProperty("java.class.path", "");
        return modules.isEmpty() ? classes : classes + File.pathSeparator + modules;
    }

    private void read() {
        List<String> lines = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (!line.startsWith(ChildMain.PREFIX)) {
                    logged.add(line);
                    continue;
                }
                String text = line.substring(ChildMain.PREFIX.length());
                switch (text) {
                    case ChildMain.READY -> ready.complete(null);
                    case ChildMain.DONE -> done.complete(lines);
                    default -> lines.add(text);
                }
            }
        } catch (IOException ended) {
            logged.add(String.valueOf(ended));
        }
        IllegalStateException early = new IllegalStateException("It ended before it was done.");
        ready.completeExceptionally(early);
        done.completeExceptionally(early);
    }

    void awaitReady() {
        await(ready);
    }

    void go() {
        write(ChildMain.GO);
    }

    /** What it reports when it is done. */
    List<String> report() {
        return await(done);
    }

    private void write(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException ended) {
            throw failed(ended);
        }
    }

    private <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw failed(failure);
        } catch (TimeoutException silence) {
            throw failed(silence);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failed(interrupted);
        }
    }

    private AssertionError failed(Throwable cause) {
        return new AssertionError(
                "The child process " + who + " failed. It has printed:\n" + String.join("\n", logged), cause);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
