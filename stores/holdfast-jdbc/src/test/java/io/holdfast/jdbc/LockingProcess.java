package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A separate JVM that acquires a lock and keeps it; if it loses the lock, it releases it nevertheless. */
final class LockingProcess {

    static final String FILE = "FILE";

    private LockingProcess() {}

    /** Starts one, and returns when it has printed {@code waiting}, or {@code held}. */
    static ChildProcess start(String kind, String where, String name, Duration lease, String until) {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(LockingProcess.class.getName(), kind, where, name, lease.toString()));
        return ChildProcess.start(
                "locking-process", folder -> command, child -> child.log().contains(until));
    }

    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"));
    }

    static JdbcStoreBuilder store(String kind, String where) {
        return kind.equals(FILE)
                ? JdbcStore.file(Path.of(where))
                : Kind.valueOf(kind).at(where);
    }

    public static void main(String[] args) throws InterruptedException {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.parse(args[3]))
                .maxWait(Duration.ofMinutes(2))
                .label("child's play")
                .build();
        try (Holdfast holdfast =
                Holdfast.builder(store(args[0], args[1])).defaults(options).build()) {
            System.out.println("waiting");
            Lease lease = holdfast.lock(args[2]).acquire();
            System.out.println("held " + lease.token());
            while (lease.state() != LeaseState.LOST) {
                Thread.sleep(1);
            }
            System.out.println("lost");
            System.out.println("released " + lease.release());
        }
        // Until it is killed.
        Thread.sleep(Long.MAX_VALUE);
    }
}
