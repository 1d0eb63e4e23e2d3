package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.ClosedHoldfast;
import org.junit.jupiter.api.Test;

class ShutdownIT {

    @Test
    void criticalSectionThatEndsAfterCloseReleasesItsLease() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            ClosedHoldfast.lateReleaseFreesTheName(server.url());
        }
    }

    @Test
    void restOfHoldAtLeastOutlivesTheProcess() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            ClosedHoldfast.restOfTheHoldOutlivesTheProcess(server.url());
        }
    }
}
