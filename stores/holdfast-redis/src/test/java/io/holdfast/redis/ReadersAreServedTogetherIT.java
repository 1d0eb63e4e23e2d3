package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A writer dies while readers wait. The first of them finds it by polling; it must not be the only one that is admitted. */
class ReadersAreServedTogetherIT {

    private static final Duration WRITER = Duration.ofSeconds(4);
    private static final Duration READER = Duration.ofSeconds(60);
    private static final int CLIENTS = 4;
    /** The first two of a queue count as dead if they do not poll every few seconds. */
    private static final int POLLING = 2;
    /** As many as one script admits: the one that polls, and eight that are notified. */
    private static final int AT_ONCE = 9;

    @Test
    void allReadersAreAdmittedWithTheFirst() {
        List<Long> tokens = tokensOfReadersBehindADeadWriter(AT_ONCE);

        // Tokens are microseconds of the server's clock, and only those of one script follow each other.
        assertThat(tokens)
                .isEqualTo(LongStream.range(tokens.get(0), tokens.get(0) + AT_ONCE)
                        .boxed()
                        .toList());
    }

    @Test
    void waitersBeyondTheLimitOfOneScriptFollowAtOnce() {
        List<Long> tokens = tokensOfReadersBehindADeadWriter(3 * AT_ONCE);

        assertThat(tokens).hasSize(3 * AT_ONCE).doesNotHaveDuplicates();
    }

    /** Only the first readers poll. The others are served by that or not at all. */
    private static List<Long> tokensOfReadersBehindADeadWriter(int count) {
        try (RedisServer server = RedisServer.start();
                Holdfast looking = Holdfast.connect(server.url());
                StoreClient polling = new StoreClient(RedisStore.at(server.url()))) {
            List<StoreClient> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> StoreClient.withoutTimers(RedisStore.at(server.url())))
                    .toList();
            try {
                Claim writer =
                        clients.get(0).claim("pages", Claim.Mode.TRY, Claim.READ_WRITE, Claim.READ_WRITE, WRITER);
                assertThat(Eventually.comes(clients.get(0).store().acquire(writer)))
                        .isPresent();
                List<CompletableFuture<Optional<Grant>>> readers = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    StoreClient client = i < POLLING ? polling : clients.get(i % CLIENTS);
                    readers.add(client.store()
                            .acquire(client.claim("pages", Claim.Mode.WAIT, 1, Claim.READ_WRITE, READER)));
                    if (i == POLLING - 1) {
                        Eventually.holds(
                                "they are the first",
                                () -> looking.readWriteLock("pages").inspect().waiters() == POLLING);
                    }
                }
                Eventually.holds(
                        "all wait",
                        () -> looking.readWriteLock("pages").inspect().waiters() == count);
                return readers.stream()
                        .map(reader -> Eventually.comes(reader).orElseThrow().firstToken())
                        .sorted()
                        .toList();
            } finally {
                clients.forEach(StoreClient::close);
            }
        }
    }
}
