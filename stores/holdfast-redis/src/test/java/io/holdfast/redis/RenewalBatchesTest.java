package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RenewalBatchesTest {

    private static final int ONE_BATCH = 100;

    @Test
    void reasonIsLoggedIfSomeBatchesFail() {
        ScriptedConnections server = new ScriptedConnections();
        try (LogLines log = LogLines.ofHoldfast();
                StoreClient client = open(server)) {
            CompletableFuture<List<RenewalRequest.Outcome>> answer =
                    client.store().renew(renewals(client, 3 * ONE_BATCH / 2, 1));
            assertThat(server.requests()).hasSize(2);
            server.requests()
                    .get(0)
                    .completeExceptionally(new IllegalStateException("CLUSTERDOWN Hash slot not served"));
            server.answer(2, kept(ONE_BATCH / 2));

            assertThat(Eventually.comes(answer).subList(0, ONE_BATCH)).containsOnly(RenewalRequest.Outcome.UNKNOWN);
            assertThat(Eventually.comes(answer).subList(ONE_BATCH, 3 * ONE_BATCH / 2))
                    .containsOnly(RenewalRequest.Outcome.KEPT);
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("100 of 150 lease renewals", "CLUSTERDOWN Hash slot not served");
        }
    }

    @Test
    void batchesOfSemaphoresAreSmaller() {
        ScriptedConnections server = new ScriptedConnections();
        try (StoreClient client = open(server)) {
            var unused = client.store().renew(renewals(client, ONE_BATCH, 5));
            assertThat(server.requests()).hasSize(4);
        }
    }

    private static StoreClient open(ScriptedConnections server) {
        return new StoreClient(environment ->
                new RedisStore("test", environment, StoreSettings.DEFAULTS, listener -> server.connections()));
    }

    private static List<RenewalRequest> renewals(StoreClient client, int count, int capacity) {
        Duration lease = Duration.ofSeconds(10);
        return IntStream.range(0, count)
                .mapToObj(
                        i -> new RenewalRequest(client.claim("apples:" + i, Claim.Mode.TRY, 1, capacity, lease), lease))
                .toList();
    }

    private static Object[] kept(int count) {
        List<Object> parts = new ArrayList<>(Collections.nCopies(count, 1L));
        parts.add(0L);
        parts.add("");
        return parts.toArray();
    }
}
