package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.ChildProcess;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process cannot write to the file of locks. A limit on the size of its files does what a full disk does, without being root. */
class DiskFullIT {

    private static final String PRLIMIT = "prlimit";

    /** Less than a few locks write. */
    private static final String LITTLE = "65536:";

    @TempDir
    private Path folder;

    @Test
    void fullDiskIsReportedAndLosesNoLock() throws Exception {
        assumeTrue(exists(PRLIMIT), "skipped: " + PRLIMIT + " is not installed");
        Path file = folder.resolve("locks.db");
        List<String> command = new ArrayList<>(LockingProcess.java());
        command.addAll(List.of(DiskFullIT.class.getName(), file.toString()));
        try (ChildProcess child = ChildProcess.start(
                        "full-disk", ignored -> command, its -> its.log().contains("works"));
                Holdfast here = Kind.open(JdbcStore.file(file), Duration.ofSeconds(2))) {
            limit(child, LITTLE);
            Eventually.holds("it says so", () -> child.log().contains("fails"));
            assertThat(child.log()).containsAnyOf("SQLITE_FULL", "SQLITE_IOERR");

            // Other processes can write.
            long token = 0;
            for (int i = 0; i < 20; i++) {
                long next = here.lock("here").call(Lease::token);
                assertThat(next).isGreaterThan(token);
                token = next;
            }
            limit(child, "unlimited:");
            // It may have been able to write before, when others had made room in the log of the file.
            Eventually.holds("it works again", () -> works(child.log()));
            assertThat(here.lock("here").call(Lease::token)).isGreaterThan(token);
            assertThat(child.log()).doesNotContain("wrong");
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA integrity_check")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("ok");
        }
    }

    private static boolean works(String log) {
        return log.lastIndexOf("works") > log.lastIndexOf("fails");
    }

    /** Acquires locks repeatedly, and prints when that begins to succeed, or to fail. */
    public static void main(String[] args) {
        String last = "";
        try (Holdfast holdfast = Kind.open(JdbcStore.file(Path.of(args[0])), Duration.ofMinutes(5))) {
            for (long i = 0; true; i++) {
                String now = use(holdfast, "name-" + i % 100);
                if (!now.substring(0, 5).equals(last)) {
                    System.out.println(now);
                    last = now.substring(0, 5);
                }
            }
        }
    }

    private static String use(Holdfast holdfast, String name) {
        try {
            // It is uncontended, and its lease is long: if the row is missing, it was never written.
            Optional<Lease> lease = holdfast.lock(name).tryAcquire();
            return lease.isEmpty() || lease.get().release() ? "works" : "wrong: the lock was not there";
        } catch (RuntimeException failure) {
            return "fails " + LogLines.printed(failure);
        }
    }

    private static void limit(ChildProcess child, String bytes) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(PRLIMIT, "--pid", Long.toString(child.pid()), "--fsize=" + bytes)
                .inheritIO()
                .start();
        assertThat(process.waitFor(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static boolean exists(String program) {
        for (String each : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(each, program))) {
                return true;
            }
        }
        return false;
    }
}
