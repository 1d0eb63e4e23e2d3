package io.holdfast.redis;

import io.holdfast.servers.RedisCluster;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ClusterTckIT extends LockStoreTck {

    private static RedisCluster servers;

    @BeforeAll
    static void start() {
        servers = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected LockStore open(Environment environment) {
        return RedisStore.at(servers.url()).open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(RedisStoreProvider.class, servers.url()));
    }

    @Override
    protected OptionalLong commandsSent() {
        return OptionalLong.of(
                servers.nodes().stream().mapToLong(Commands::sent).sum());
    }
}
