package io.holdfast.benchmarks.kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A JVM that does a {@link Task}, seen from outside. It never outlives this one, nor its limits. */
public final class Fork implements AutoCloseable {

    private static final String END = "END";

    private final Process process;
    private final Path errors;
    private final Writer commands;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private Fork(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "fork-reader");
        reader.setDaemon(true);
        reader.start();
    }

    static Fork start(Jdk jdk, Request request, Task task) throws FailedRun {
        List<String> command =
                new ArrayList<>(task.isModest() ? request.effort().modestly() : List.of());
        command.add(jdk.java().toString());
        command.addAll(request.effort().jvmArgs());
        command.addAll(List.of("-cp", request.classPath(task), Child.class.getName()));
        command.add(task.text());
        Path errors = temporaryFile();
        try {
            return new Fork(
                    new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
        } catch (IOException unstartable) {
            errors.toFile().delete();
            throw new FailedRun("no JVM: " + unstartable.getMessage());
        }
    }

    private static Path temporaryFile() {
        try {
            return Files.createTempFile("bench", ".log");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Waits until it is ready for {@link #go()}. */
    void awaitReady(Duration limit) throws FailedRun {
        List<String> told = until(Child.READY, limit);
        if (!told.isEmpty()) {
            throw new FailedRun("unexpected output: " + told);
        }
    }

    void go() throws FailedRun {
        try {
            commands.write(Child.GO + "\n");
            commands.flush();
        } catch (IOException gone) {
            throw new FailedRun("the JVM is gone: " + errors());
        }
    }

    /** Waits until it has finished. */
    Answer answer(Duration limit) throws FailedRun {
        return Answer.parse(until(Child.DONE, limit));
    }

    private List<String> until(String mark, Duration limit) throws FailedRun {
        long end = System.nanoTime() + limit.toNanos();
        List<String> told = new ArrayList<>();
        try {
            while (true) {
                String line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (line == null) {
                    throw new FailedRun("no end after " + limit.toSeconds() + " s");
                }
                if (line.equals(mark)) {
                    return told;
                }
                if (line.startsWith(Answer.FAILURE + "=")) {
                    throw new FailedRun(line.substring(Answer.FAILURE.length() + 1));
                }
                if (line.equals(END)) {
                    throw new FailedRun("the JVM is gone: " + errors());
                }
                told.add(line);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new FailedRun("interrupted");
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException closed) {
            // As good as its end.
        }
        lines.add(END);
    }

    private String errors() {
        try {
            return Files.readString(errors).lines().limit(5).toList().toString();
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
            Files.deleteIfExists(errors);
        } catch (IOException left) {
            // A temporary file more.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
