package io.holdfast.soak;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Apart from PostgreSQL, so that they run at the same time. */
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class MariaDbAndFileSoakIT {

    @Test
    void leasesInATableKeepTheirPromisesWhileEverythingFails() {
        SqlSoak.keepsItsPromises(Store.MARIADB, Duration.ofSeconds(12));
    }

    @Test
    void sessionLocksKeepTheirPromisesWhileEverythingFails() {
        SqlSoak.keepsItsPromises(Store.MARIADB_SESSIONS, Duration.ofSeconds(10));
    }

    @Test
    void leasesInH2KeepTheirPromisesWhileEverythingFails() {
        SqlSoak.keepsItsPromises(Store.H2, Duration.ofSeconds(10));
    }

    @Test
    void leasesInAFileKeepTheirPromisesWhileProcessesFail() {
        SqlSoak.keepsItsPromises(Store.FILE, Duration.ofSeconds(10));
    }
}
