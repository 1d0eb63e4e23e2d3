package io.holdfast.jdbc;

import io.holdfast.testkit.ClosedHoldfast;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileShutdownTest {

    @TempDir
    private Path folder;

    @Test
    void criticalSectionThatEndsAfterCloseReleasesItsLease() {
        ClosedHoldfast.lateReleaseFreesTheName(url());
    }

    @Test
    void restOfHoldAtLeastOutlivesTheProcess() {
        ClosedHoldfast.restOfTheHoldOutlivesTheProcess(url());
    }

    private String url() {
        return "file:" + folder.resolve("locks.db");
    }
}
