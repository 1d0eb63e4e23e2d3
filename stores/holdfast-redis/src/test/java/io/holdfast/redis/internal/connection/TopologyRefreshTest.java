package io.holdfast.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Ticker;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TopologyRefreshTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final RefreshedClient client = new RefreshedClient();
    private final TopologyRefresh refresh = new TopologyRefresh(client, ticker());

    @AfterEach
    void close() {
        client.shutdown();
    }

    @Test
    void timeoutsRefreshOnceASecondAtMost() {
        for (int i = 0; i < 30; i++) {
            refresh.runUnlessRecent();
            client.answer();
            pass(Duration.ofMillis(100));
        }

        assertThat(client.refreshes).hasSize(3);
    }

    @Test
    void redirectionsShareTheRefreshThatIsUnderWayAndStartAnotherAfterIt() {
        CompletableFuture<Void> first = refresh.run();
        CompletableFuture<Void> second = refresh.run();
        assertThat(client.refreshes).hasSize(1);
        client.answer();
        assertThat(List.of(first, second)).allMatch(CompletableFuture::isDone);

        assertThat(refresh.run()).isNotDone();
        assertThat(client.refreshes).hasSize(2);
    }

    @Test
    void refreshThatIsNotAnsweredDoesNotBlockOthersForGood() {
        refresh.runUnlessRecent();
        pass(Duration.ofSeconds(9));
        refresh.runUnlessRecent();
        assertThat(client.refreshes).hasSize(1);
        pass(Duration.ofSeconds(1));

        refresh.runUnlessRecent();

        assertThat(client.refreshes).hasSize(2);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private Ticker ticker() {
        return new Ticker() {
            @Override
            public long nanos() {
                return nanos.get();
            }

            @Override
            public long wallMicros() {
                return 0;
            }
        };
    }

    /** Connects to nothing. */
    private static final class RefreshedClient extends RedisClusterClient {

        private final List<CompletableFuture<Void>> refreshes = new ArrayList<>();

        @Override
        public CompletionStage<Void> refreshPartitionsAsync() {
            CompletableFuture<Void> fresh = new CompletableFuture<>();
            refreshes.add(fresh);
            return fresh;
        }

        void answer() {
            refreshes.forEach(each -> each.complete(null));
        }
    }
}
