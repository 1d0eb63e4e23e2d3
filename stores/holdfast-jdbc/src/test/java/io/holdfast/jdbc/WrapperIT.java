package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks behind a wrapper driver exclude those without it. */
@ParameterizedClass
@EnumSource
class WrapperIT {

    private static SqlServer server;

    WrapperIT(Database database) {}

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
    void locksBehindAWrapperExcludeOthers(Kind kind) throws Exception {
        try (WrapperDriver driver = WrapperDriver.register("spied", UnaryOperator.identity());
                Holdfast wrapped = kind.open(driver.wrapped(server.url()), Eventually.LIMIT);
                Holdfast other = kind.open(server.url(), Eventually.LIMIT)) {
            Lease lease = other.lock("apples").acquire();
            assertThat(wrapped.lock("apples").tryAcquire()).isEmpty();
            CompletableFuture<Lease> waiting = wrapped.lock("apples").acquireAsync();
            assertThat(lease.release()).isTrue();

            assertThat(Eventually.comes(waiting).release()).isTrue();
            assertThat(driver.connected()).allMatch(properties -> properties.containsKey("connectTimeout"));
        }
    }
}
