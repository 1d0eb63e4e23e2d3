package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.servers.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A separate JVM that acquires a lock of every kind, and is acquiring the naive ones when it is killed. */
final class CrashingProcess {

    static final String OURS = "apples";
    static final Duration LEASE = Duration.ofSeconds(1);

    private static final String HELD = "held ";

    private CrashingProcess() {}

    static String naive(StoreKind kind) {
        return "naive-" + kind;
    }

    /** Starts one, waits until it has its locks, and kills it. */
    static void crash(Servers servers) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                CrashingProcess.class.getName()));
        for (StoreKind kind : StoreKind.values()) {
            command.add(kind.name());
            command.add(servers.url(kind));
        }
        try (ChildProcess process =
                ChildProcess.start("crashing-process", folder -> command, child -> holdsAll(child.log()))) {
            process.kill();
        }
    }

    private static boolean holdsAll(String log) {
        return log.lines().filter(line -> line.startsWith(HELD)).count() == 2L * StoreKind.values().length;
    }

    public static void main(String[] args) throws InterruptedException {
        LockOptions options = LockOptions.builder().leaseTime(LEASE).build();
        List<Thread> threads = new ArrayList<>();
        List<Holdfast> open = new ArrayList<>();
        for (int i = 0; i < args.length; i += 2) {
            StoreKind kind = StoreKind.valueOf(args[i]);
            String url = args[i + 1];
            Holdfast holdfast = kind.connect(url);
            open.add(holdfast);
            System.out.println(HELD + kind + " " + holdfast.lock(OURS, options).acquire());
            Thread thread = new Thread(() ->
                    new NaiveTableLock(Sql.at(url), () -> stay(HELD + naive(kind))).tryAcquire(naive(kind), LEASE));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        throw new IllegalStateException("Nobody has killed it: " + open);
    }

    /** Until the end. */
    private static void stay(String state) {
        System.out.println(state);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
