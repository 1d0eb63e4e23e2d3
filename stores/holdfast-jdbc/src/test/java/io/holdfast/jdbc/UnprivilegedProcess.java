package io.holdfast.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.servers.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A JVM to which the permissions of files apply, even if root runs it. It connects, waits for a file to appear, and acquires a lock. */
final class UnprivilegedProcess {

    private static final String SETPRIV = "/usr/bin/setpriv";

    private UnprivilegedProcess() {}

    /** Starts one, and returns when it has printed {@code connected}, or {@code refused}. */
    static ChildProcess start(Path file, Path signal, String until) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            assumeTrue(Files.isExecutable(Path.of(SETPRIV)), "skipped: " + SETPRIV + " is not installed");
            command.addAll(List.of(SETPRIV, "--bounding-set", "-dac_override,-dac_read_search"));
        }
        command.addAll(LockingProcess.java());
        command.addAll(List.of(UnprivilegedProcess.class.getName(), file.toString(), signal.toString()));
        return ChildProcess.start(
                "unprivileged-process", folder -> command, child -> child.log().contains(until));
    }

    public static void main(String[] args) throws InterruptedException {
        LockOptions options = LockOptions.builder().maxWait(Duration.ofHours(1)).build();
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.file(Path.of(args[0])))
                .defaults(options)
                .build()) {
            System.out.println("connected");
            while (Files.notExists(Path.of(args[1]))) {
                Thread.sleep(1);
            }
            holdfast.lock("apples").run(lease -> System.out.println("held"));
        } catch (RuntimeException refused) {
            System.out.println("refused " + refused.getClass().getSimpleName() + ": " + refused.getMessage());
        }
        // Until it is killed.
        Thread.sleep(Long.MAX_VALUE);
    }
}
