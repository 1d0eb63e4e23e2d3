package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class SingleServerTckIT extends LockStoreTck {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected LockStore open(Environment environment) {
        return RedisStore.at(server.url()).open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(RedisStoreProvider.class, server.url()));
    }

    @Override
    protected OptionalLong commandsSent() {
        return OptionalLong.of(Commands.sent(server));
    }
}
