package io.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of other processes in a file are inspected, and released by force. */
class FileInspectionIT {

    @Test
    void lockIsSeenAndBroken(@TempDir Path folder) {
        Inspections.inspectAndBreak(
                LockingProcess.FILE, folder.resolve("locks.db").toString());
    }
}
