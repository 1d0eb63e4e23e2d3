package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.servers.ChildProcess;
import io.holdfast.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process may not write the file of locks, or its folder. */
class ReadOnlyFileIT {

    @TempDir
    private Path folder;

    private Path home;
    private Path file;
    private Path signal;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
        file = home.resolve("locks");
        signal = folder.resolve("signal");
        Holdfast.connect("file:" + file).close();
    }

    @AfterEach
    void allow() throws IOException {
        permit(home, "rwxr-xr-x");
    }

    @Test
    void fileWithoutWritePermissionIsRefusedWhenTheStoreIsOpened() throws Exception {
        permit(file, "r--r--r--");
        try (ChildProcess child = UnprivilegedProcess.start(file, signal, "refused")) {
            assertThat(child.log())
                    .contains("refused IllegalStateException: file:" + file + ": " + file + " is read-only")
                    .doesNotContain("connected");
        }
    }

    @Test
    void folderWithoutWritePermissionIsRefusedWhenTheStoreIsOpened() throws Exception {
        permit(home, "r-xr-xr-x");
        for (Path each : new Path[] {file, home.resolve("another")}) {
            try (ChildProcess child = UnprivilegedProcess.start(each, signal, "refused")) {
                assertThat(child.log())
                        .contains("refused IllegalStateException: file:" + each + ": " + home + " is read-only")
                        .doesNotContain("connected");
            }
        }
    }

    @Test
    void fileThatBecomesReadOnlyIsReportedAtTheNextConnection() throws Exception {
        try (ChildProcess child = UnprivilegedProcess.start(file, signal, "connected")) {
            permit(file, "r--r--r--");
            Files.createFile(signal);
            Eventually.holds("it says so", () -> child.log().contains("refused"));
            assertThat(child.log())
                    .contains("refused HoldfastException")
                    .contains(file + " is read-only")
                    .doesNotContain("held");
        }
    }

    @Test
    void fileThatCanBeWrittenIsNotRefused() throws Exception {
        try (ChildProcess child = UnprivilegedProcess.start(file, signal, "connected")) {
            Files.createFile(signal);
            Eventually.holds("it works", () -> child.log().contains("held"));
            assertThat(child.log()).doesNotContain("refused");
        }
    }

    private static void permit(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
