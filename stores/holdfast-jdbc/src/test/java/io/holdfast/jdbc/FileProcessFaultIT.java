package io.holdfast.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process that holds a lock in a file is killed, or is paused for longer than its lease. */
class FileProcessFaultIT {

    @TempDir
    private Path folder;

    private ProcessFaults faults;

    @BeforeEach
    void choose() {
        faults = new ProcessFaults(
                LockingProcess.FILE, folder.resolve("locks.db").toString());
    }

    @Test
    void nameOfAKilledHolderIsFreeWhenItsLeaseExpires() {
        faults.killHolder(Duration.ofSeconds(3));
    }

    @Test
    void holderThatWasPausedForTooLongIsNotifiedAndDoesNotAffectTheNextOne() {
        faults.pauseHolder(Duration.ofSeconds(2));
    }
}
