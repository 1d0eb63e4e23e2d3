package io.holdfast.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server that runs as a child of this JVM, in a temporary folder of its own, and ends with this JVM however that ends.
 *
 * <pre>{@code
 * try (ChildProcess server = ChildProcess.start("redis", folder -> List.of(binary, "--port", "7000"), this::answers)) {
 *     server.pause();
 * }
 * }</pre>
 *
 * <p>Signals go to the server and to what it has forked, by process id, and only while the server is the one started here.
 * Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {

    /** How long a server may take to be ready: generous, for the machine may be busy. */
    public static final Duration START_LIMIT = Duration.ofSeconds(60);

    private static final String LOG = "server.log";
    private static final int LOG_LINES_SHOWN = 30;

    private static final String FAREWELL = "farewell";

    /*
     * A child outlives its JVM, and the JVM cannot act when it is killed. What it cannot help doing is to close its end of
     * a pipe: so a shell waits for the end of its input. If no word of farewell came before that end, it kills the server with
     * what that has forked, which may be paused and notice nothing, and removes the folder, for nobody else will. The server
     * is stopped first, so that it forks no more. The trap lets the shell live on to do all this when Ctrl-C
     * reaches the whole process group, which ends `cat` and spares the server, for a shell starts background commands with
     * that signal ignored. To wait in `cat` rather than in `read` lets the shell take notice of a server's death; else the
     * dead server would keep its process id.
     */
    private static final String WATCHDOG = """
            trap : HUP INT TERM
            "$@" >>%1$s 2>&1 &
            server=$!
            echo $server
            cat >%2$s
            [ -s %2$s ] && exit
            kill -STOP $server
            forked=$(grep -l "^PPid:.$server$" /proc/[0-9]*/status | tr -dc '0-9\\n')
            kill -9 $server $forked
            rm -rf "$0"
            """.formatted(LOG, FAREWELL);

    private final String name;
    private final ScratchFolder folder;
    private final List<String> command;
    private final Predicate<ChildProcess> ready;
    private final Duration limit;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Run run;
    private volatile boolean closed;

    /** One life of the server: the shell that watches over it, and the server itself. */
    private record Run(Process watchdog, long pid, Optional<ProcessHandle> server) {

        boolean alive() {
            return server.isPresent() && server.get().isAlive();
        }

        Stream<ProcessHandle> forked() {
            return server.stream().flatMap(ProcessHandle::descendants);
        }
    }

    private ChildProcess(
            String name, ScratchFolder folder, List<String> command, Predicate<ChildProcess> ready, Duration limit) {
        this.name = name;
        this.folder = folder;
        this.command = command;
        this.ready = ready;
        this.limit = limit;
    }

    /** Starts a server and waits until it is ready, for at most {@link #START_LIMIT}. */
    public static ChildProcess start(String name, Function<Path, List<String>> command, Predicate<ChildProcess> ready) {
        return start(name, command, ready, START_LIMIT);
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param name what messages call it
     * @param command makes the command line, given the server's folder, which is also its working directory; may write files
     *     there. Environment variables go in front: {@code env NAME=value server …}
     * @param ready tells whether the server does its work; asked again and again
     * @throws ServerException with the last lines of the server's log, when it ends or is not ready within the limit; nothing
     *     is left behind then
     */
    public static ChildProcess start(
            String name, Function<Path, List<String>> command, Predicate<ChildProcess> ready, Duration limit) {
        ScratchFolder folder = ScratchFolder.create(name);
        ChildProcess process;
        try {
            process = new ChildProcess(name, folder, List.copyOf(command.apply(folder.path())), ready, limit);
        } catch (RuntimeException | Error failed) {
            folder.close();
            throw failed;
        }
        try {
            process.launch();
            return process;
        } catch (RuntimeException | Error failed) {
            process.close();
            throw failed;
        }
    }

    /** The process id of the server itself; after a restart, another one. */
    public long pid() {
        return current().pid();
    }

    /** Whether the server's process exists; a paused one does. */
    public boolean isAlive() {
        Run latest = run;
        return latest != null && latest.alive();
    }

    public Path folder() {
        return folder.path();
    }

    /** All that the server has printed, over all of its lives. */
    public String log() {
        try {
            Path file = folder.path().resolve(LOG);
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Stops the server and what it has forked in their tracks (SIGSTOP): connections stay open, nothing is answered. */
    public void pause() {
        signal("STOP");
    }

    /** Lets a paused server go on. */
    public void resume() {
        signal("CONT");
    }

    /** Asks the server to end (SIGTERM) and returns when it is gone. It must not be paused. */
    public void terminate() {
        lock.lock();
        try {
            Run latest = current();
            signal("TERM");
            awaitEnd(() -> !latest.alive());
            end(latest);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the server without warning (SIGKILL) and returns when it is gone. A server that is gone already is no error. */
    public void kill() {
        lock.lock();
        try {
            Run latest = run;
            if (latest != null) {
                end(latest);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Starts the server again with the same command in the same folder, and waits until it is ready. Kills it first if it runs. */
    public void restart() {
        lock.lock();
        try {
            kill();
            launch();
        } finally {
            lock.unlock();
        }
    }

    /** Kills the server and removes its folder. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            kill();
            folder.close();
        } finally {
            lock.unlock();
        }
    }

    private void launch() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException(name + " is closed");
            }
            List<String> words =
                    new ArrayList<>(List.of("sh", "-c", WATCHDOG, folder.path().toString()));
            words.addAll(command);
            Process watchdog = new ProcessBuilder(words)
                    .directory(folder.path().toFile())
                    .redirectError(Redirect.DISCARD)
                    .start();
            Run latest = watched(watchdog);
            run = latest;
            awaitReady(latest);
        } catch (IOException unstartable) {
            throw new ServerException(name + " cannot be started", unstartable);
        } finally {
            lock.unlock();
        }
    }

    private Run watched(Process watchdog) throws IOException {
        BufferedReader output = watchdog.inputReader();
        String line = output.readLine();
        if (line == null) {
            throw new ServerException(name + ": its shell ended with code " + exitOf(watchdog));
        }
        long pid = Long.parseLong(line);
        Optional<ProcessHandle> server = ProcessHandle.of(pid);
        // Ends the shell with its server, before another process could be given the same id and be killed for it.
        server.ifPresentOrElse(
                handle -> {
                    CompletableFuture<?> unused = handle.onExit().thenRun(() -> dismiss(watchdog));
                },
                () -> dismiss(watchdog));
        return new Run(watchdog, pid, server);
    }

    private void awaitReady(Run latest) {
        long start = System.nanoTime();
        Await.until(
                limit.plusSeconds(1),
                () -> {
                    boolean works = ready.test(this);
                    if (!latest.alive()) {
                        end(latest);
                        throw new ServerException(name + " ended while it started" + lastLines());
                    }
                    if (!works && System.nanoTime() - start > limit.toNanos()) {
                        end(latest);
                        throw new ServerException(name + " is not ready after " + limit + lastLines());
                    }
                    return works;
                },
                () -> name + " is not ready");
    }

    private void signal(String signal) {
        lock.lock();
        try {
            Run latest = current();
            if (!latest.alive()) {
                throw new IllegalStateException(name + " does not run");
            }
            List<Long> next = List.of(latest.pid());
            if (!sent(signal, next)) {
                throw new ServerException("kill -" + signal + " of " + name + " failed");
            }
            // Once stopped, the server forks no more: so there is an end to those that are new.
            Set<Long> signalled = new HashSet<>();
            while (signalled.addAll(next)) {
                next = latest.forked().map(ProcessHandle::pid).toList();
                boolean unused = sent(signal, next);
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean sent(String signal, List<Long> pids) {
        if (pids.isEmpty()) {
            return true;
        }
        List<String> words = new ArrayList<>(List.of("kill", "-" + signal));
        pids.forEach(pid -> words.add(Long.toString(pid)));
        try {
            Process kill = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            return exitOf(kill) == 0;
        } catch (IOException unstartable) {
            throw new UncheckedIOException(unstartable);
        }
    }

    private Run current() {
        Run latest = run;
        if (latest == null) {
            throw new IllegalStateException(name + " has not been started");
        }
        return latest;
    }

    private static void end(Run run) {
        run.server().ifPresent(server -> {
            // What the server has forked would go on for a while and write into the folder; stopped, it forks no more.
            boolean unused = server.isAlive() && sent("STOP", List.of(server.pid()));
            List<ProcessHandle> forked = run.forked().toList();
            // The forked ones first: if they see that the server is gone, they end in order, and what they had locked
            // is granted to
            // others that have not seen it yet.
            forked.forEach(ProcessHandle::destroyForcibly);
            server.destroyForcibly();
            awaitEnd(() -> !server.isAlive() && forked.stream().allMatch(ChildProcess::isGone));
        });
        dismiss(run.watchdog());
        exitOf(run.watchdog());
    }

    /**
     * Uninterruptible, so that an interrupted test leaves nothing behind. The JDK's own waiting for a process that is no child
     * looks only every 300 ms.
     */
    private static void awaitEnd(BooleanSupplier ended) {
        boolean interrupted = false;
        while (!ended.getAsBoolean()) {
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether a process without threads does nothing any more. A dead one stays in the table until its parent takes notice, and
     * that of an orphan, which in a container may be any program, takes its time or never does.
     */
    static boolean isGone(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            String status = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return status.startsWith(") Z", status.lastIndexOf(')'));
        } catch (IOException unknown) {
            return false;
        }
    }

    private static void dismiss(Process watchdog) {
        try (OutputStream pipe = watchdog.getOutputStream()) {
            pipe.write(FAREWELL.getBytes(StandardCharsets.UTF_8));
        } catch (IOException goneAlready) {
            // A pipe without a reader; the shell has ended.
        }
    }

    /** Uninterruptible, too. */
    private static int exitOf(Process process) {
        return process.onExit().join().exitValue();
    }

    private String lastLines() {
        List<String> lines = log().lines().toList();
        return "; the end of its log:\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }
}
