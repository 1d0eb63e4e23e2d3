package io.holdfast.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link ChildMain}, seen from here. Each life has a name of its own. */
final class Child implements AutoCloseable {

    /** Longer than a team itself waits before it says that somebody is stuck. */
    private static final Duration ANSWER_LIMIT = Team.PATIENCE.multipliedBy(5);

    private final String name;
    private final List<String> arguments;
    private final long seed;
    private final Records records;
    private final Set<String> killed = ConcurrentHashMap.newKeySet();
    private int lives;
    private @Nullable Life life;

    private record Life(String name, Process process, BlockingQueue<String> answers, Thread reader) {}

    /** {@code arguments} are those of {@link ChildMain} between name and seed. */
    Child(String name, List<String> arguments, long seed, Records records) {
        this.name = name;
        this.arguments = arguments;
        this.seed = seed;
        this.records = records;
    }

    /** Starts it; it is at work a moment later. */
    void start() {
        lives++;
        String its = name + "-" + lives;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                ChildMain.class.getName(),
                its));
        command.addAll(arguments);
        command.add(String.valueOf(seed + lives));
        try {
            Process process =
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
            BlockingQueue<String> answers = new LinkedBlockingQueue<>();
            Thread reader = new Thread(() -> read(process, answers), "soak-reader-" + its);
            reader.setDaemon(true);
            reader.start();
            life = new Life(its, process, answers, reader);
        } catch (IOException unstartable) {
            throw new UncheckedIOException(unstartable);
        }
    }

    private void read(Process process, BlockingQueue<String> answers) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(ChildMain.ANSWER)) {
                    answers.add(line.substring(1));
                } else {
                    heard(process, line);
                }
            }
        } catch (IOException ended) {
            // With its process.
        }
    }

    private void heard(Process process, String line) {
        try {
            records.hear(line);
        } catch (RuntimeException garbled) {
            // The last line of one that was killed may be half a line.
            if (process.isAlive()) {
                records.violation("Not understood from " + name + ": " + line);
            }
        }
    }

    /** Gives an order and waits until it is done. */
    void order(String order) {
        Life its = present();
        try {
            its.process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            its.process.getOutputStream().flush();
            await(its, order);
        } catch (IOException gone) {
            records.violation("Process " + its.name + " is gone: " + gone.getMessage());
        }
    }

    /** Waits until it is at work. */
    void awaitStart() {
        await(present(), "start");
    }

    private void await(Life its, String order) {
        try {
            long limit = System.nanoTime() + ANSWER_LIMIT.toNanos();
            while (System.nanoTime() < limit) {
                String answer = its.answers.poll(100, TimeUnit.MILLISECONDS);
                if (order.equals(answer)) {
                    return;
                }
                if (answer == null && !its.process.isAlive()) {
                    break;
                }
            }
            records.violation("No answer to '" + order + "' from process " + its.name
                    + (its.process.isAlive() ? "" : ", which has ended"));
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Ends it without warning (SIGKILL). */
    void kill() {
        Life its = present();
        killed.add(its.name);
        its.process.destroyForcibly();
        its.process.onExit().join();
        joinReader(its);
    }

    /** Stops it in its tracks for that long. The shell lets it go on even if this process is no more. */
    void pause(Duration time) {
        String pid = String.valueOf(present().process.pid());
        String seconds = String.valueOf(time.toMillis() / 1e3);
        try {
            Process shell = new ProcessBuilder(
                            "sh", "-c", "kill -STOP \"$0\"; sleep \"$1\"; kill -CONT \"$0\"", pid, seconds)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            shell.onExit().join();
        } catch (IOException unstartable) {
            throw new UncheckedIOException(unstartable);
        }
    }

    /** The lives that may have done something without having told. */
    Set<String> killed() {
        return killed;
    }

    @Override
    public void close() {
        Life its = life;
        if (its == null) {
            return;
        }
        life = null;
        try {
            its.process.getOutputStream().close();
        } catch (IOException gone) {
            // It has ended.
        }
        if (its.process.isAlive() && !ended(its.process)) {
            records.violation("Process " + its.name + " does not end");
            its.process.destroyForcibly();
        }
        joinReader(its);
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor(Team.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void joinReader(Life its) {
        try {
            its.reader.join(Team.PATIENCE.toMillis());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private Life present() {
        Life its = life;
        if (its == null) {
            throw new IllegalStateException(name + " does not run");
        }
        return its;
    }
}
