package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.servers.PostgresServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ScheduledJobIT {

    @Test
    void serverWhoseClockIsLateDoesNotRunTheTickAgain() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (PostgresServer database = PostgresServer.start();
                HikariDataSource pool = ScheduledJob.pool(database.url());
                Holdfast early = ScheduledJob.open(pool);
                Holdfast late = ScheduledJob.open(pool)) {
            assertThat(early.lock("bare").tryRun(lease -> runs.incrementAndGet()))
                    .isTrue();
            assertThat(late.lock("bare").tryRun(lease -> runs.incrementAndGet()))
                    .as("without holdAtLeast")
                    .isTrue();
            runs.set(0);

            new ScheduledJob(early, token -> runs.incrementAndGet()).tick();
            new ScheduledJob(late, token -> runs.incrementAndGet()).tick();
            new ScheduledJob(early, token -> runs.incrementAndGet()).tick();

            assertThat(runs).hasValue(1);
        }
    }
}
