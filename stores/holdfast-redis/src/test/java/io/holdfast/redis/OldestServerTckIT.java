package io.holdfast.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.servers.OldRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the oldest Redis that is supported. */
class OldestServerTckIT extends LockStoreTck {

    private static @Nullable RedisServer server;

    @BeforeAll
    static void start() {
        assumeTrue(
                OldRedis.obstacle().isEmpty(),
                () -> "skipped: " + OldRedis.obstacle().orElse(""));
        server = OldRedis.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            KeyCheck.everyKeyExpires(server);
            server.close();
        }
    }

    @Override
    protected LockStore open(Environment environment) {
        return RedisStore.at(running().url()).open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(RedisStoreProvider.class, running().url()));
    }

    @Override
    protected OptionalLong commandsSent() {
        return OptionalLong.of(Commands.sent(running()));
    }

    private static RedisServer running() {
        if (server == null) {
            throw new IllegalStateException("not started");
        }
        return server;
    }
}
