package io.holdfast.jdbc;

import io.holdfast.servers.SqlServer;
import java.time.Duration;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process that holds a lock on a server is killed, or is paused for longer than its lease. */
@ParameterizedClass
@EnumSource
class ProcessFaultIT {

    private static SqlServer server;

    private final Database database;

    ProcessFaultIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void nameOfAKilledHolderIsFreeWhenItsLeaseOrItsSessionEnds(Kind kind) {
        // A session ends with its process, however long the lease.
        Duration lease = kind == Kind.LEASE_TABLE ? Duration.ofSeconds(3) : Duration.ofMinutes(5);
        new ProcessFaults(kind.name(), database.url(server)).killHolder(lease);
    }

    @ParameterizedTest
    @EnumSource
    void holderThatWasPausedForTooLongIsNotifiedAndDoesNotAffectTheNextOne(Kind kind) {
        new ProcessFaults(kind.name(), database.url(server)).pauseHolder(Duration.ofSeconds(2));
    }
}
