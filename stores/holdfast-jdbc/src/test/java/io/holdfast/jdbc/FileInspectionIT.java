package io.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of other processes are looked at in a file, and taken away. */
class FileInspectionIT {

    @Test
    void lockIsSeenAndBroken(@TempDir Path folder) {
        Inspections.inspectAndBreak(
                LockingProcess.FILE, folder.resolve("locks.db").toString());
    }
}
