package io.holdfast.soak;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 8, unit = TimeUnit.MINUTES)
class PostgresSoakIT {

    @Test
    void leasesInATableKeepTheirPromisesWhileEverythingFails() {
        SqlSoak.keepsItsPromises(Store.POSTGRESQL, Duration.ofSeconds(15));
    }

    @Test
    void sessionLocksKeepTheirPromisesWhileEverythingFails() {
        SqlSoak.keepsItsPromises(Store.POSTGRESQL_SESSIONS, Duration.ofSeconds(12));
    }
}
